/** Collects the licenses of the packages that a bundle contains, because most of them must go with the code. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

/** Returns the text of the file with all notices. Throws when a package names no license. */
export function noticesOf(modules: Iterable<string>): string {
  const folders = new Set<string>();
  for (const path of modules) {
    const [folder] = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [];
    if (folder !== undefined) folders.add(folder);
  }
  const notices = new Map<string, string>();
  for (const folder of folders) {
    const { name, version, license } = readManifest(folder);
    if (license === undefined) throw new Error(`the package ${name} ${version} names no license`);
    const texts = globSync('{LICEN[CS]E,NOTICE,COPYING}*', { cwd: folder })
      .toSorted()
      .map((file) => readFileSync(join(folder, file), 'utf8').trim());
    notices.set(`${name} ${version}`, [`${name} ${version} (${license})`, ...texts].join('\n\n'));
  }
  const all = [...notices.keys()].toSorted().map((key) => notices.get(key));
  return [`Quarry contains these packages.`, ...all].join(`\n\n${'-'.repeat(80)}\n\n`);
}

function readManifest(folder: string): Manifest {
  const path = join(folder, 'package.json');
  if (!existsSync(path)) throw new Error(`${folder} is not a package`);
  return JSON.parse(readFileSync(path, 'utf8'));
}
