/** Finds vendors' documents on this machine. None of them is a part of the project. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Origin } from './contract.ts';

const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url));
/** The longest document has 35 MB. */
const MAX_BYTES = 256 * 2 ** 20;

/**
 * Returns the document, or null when it is not at hand. It is sought in the folder, in `../shared/contracts/` and among
 * the installed packages. The folder may hold the document itself or the archive that `npm pack` has written.
 */
export function documentOf(
  { file, npm, generated, zod }: Origin,
  folder: string | undefined,
): string | null {
  const folders = [...(folder ? [folder] : []), join(ROOT, '../shared/contracts')];
  const [found] = folders
    .flatMap((one) => [join(one, file), join(one, basename(file))])
    .filter((path) => existsSync(path));
  if (found) return readFileSync(found, 'utf8');
  if (!npm || generated) return null;
  const [, name = '', version = ''] = /^(.+)@(.+)$/.exec(npm) ?? [];
  const installed = join(ROOT, 'node_modules', name);
  if (existsSync(installed)) {
    const { version: present } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    if (present === version)
      return zod
        ? madeOf(join(installed, dirname(file)), [version, ...(zod.errors ? [zod.errors] : [])])
        : readFileSync(join(installed, file), 'utf8');
  }
  if (zod) return null;
  const archive = `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
  const [packed] = folders.map((one) => join(one, archive)).filter((path) => existsSync(path));
  return packed ? memberOf(packed, `package/${file}`) : null;
}

function madeOf(folder: string, words: readonly string[]): string {
  const script = fileURLToPath(new URL('zod-document.ts', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, folder, ...words], {
    encoding: 'utf8',
    maxBuffer: MAX_BYTES,
    env: { ...process.env, AUDIT_SCHEMAS: 'true' },
  });
  if (status !== 0) throw new Error(`no document can be made of ${folder}: ${stderr}`);
  return stdout;
}

function memberOf(archive: string, path: string): string {
  const { status, stdout, stderr } = spawnSync('tar', ['-xzOf', archive, path], {
    encoding: 'utf8',
    maxBuffer: MAX_BYTES,
  });
  if (status !== 0) throw new Error(`tar cannot read ${path} of ${archive}: ${stderr}`);
  return stdout;
}
