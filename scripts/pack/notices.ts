/** Collects the licenses of the packages that a bundle contains, because most of them must go with the code. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

const LICENSE_FILE = /^(licen[cs]e|notice|copying)/i;
/** These packages name their license in the manifest alone. */
const WITHOUT_FILE = [
  '@ai-sdk/provider-utils',
  '@bomb.sh/tab',
  'abstract-logging',
  'isarray',
  'js-tiktoken',
  'pg-types',
  'pgpass',
  'react-remove-scroll-bar',
  'saxes',
];

/**
 * Returns the text of the file with all notices. `modules` are the paths of files. Throws when a package names no license,
 * or has no text of it.
 */
export function noticesOf(modules: Iterable<string>): string {
  const folders = new Set<string>();
  for (const path of modules) {
    const [folder] = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [];
    if (folder !== undefined) folders.add(folder);
  }
  const notices = new Map<string, string>();
  for (const folder of folders) {
    const { name, version, license }: Manifest = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    );
    if (license === undefined) throw new Error(`the package ${name} ${version} names no license`);
    const texts = readdirSync(folder)
      .filter((file) => LICENSE_FILE.test(file))
      .toSorted()
      .map((file) => readFileSync(join(folder, file), 'utf8').trim());
    if (texts.length === 0 && !WITHOUT_FILE.includes(name))
      throw new Error(`the package ${name} ${version} has no text of its license`);
    notices.set(`${name} ${version}`, [`${name} ${version} (${license})`, ...texts].join('\n\n'));
  }
  const all = [...notices.keys()].toSorted().map((key) => notices.get(key));
  return ['These packages are inside, under these licenses.', ...all].join(
    `\n\n${'-'.repeat(80)}\n\n`,
  );
}
