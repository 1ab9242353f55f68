/** Finds the module of a transformer. After links are resolved, the module must lie below the operator's folder. */
import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, sep } from 'node:path';

const EXTENSION = /\.(js|mjs|ts|mts)$/;

/** This error tells the person who named the module why it cannot be used. */
export class ModuleRefused extends Error {
  override readonly name = 'ModuleRefused';
}

/** Returns the real path of the module. `folder` is QUARRY_TRANSFORMERS_DIR. Throws ModuleRefused. */
export async function modulePath(folder: string | undefined, name: string): Promise<string> {
  if (folder === undefined)
    throw new ModuleRefused(
      'the operator has named no folder of modules (QUARRY_TRANSFORMERS_DIR)',
    );
  const leaves = isAbsolute(name) || /[\\\0]/.test(name) || name.split('/').includes('..');
  if (leaves) throw outside(name);
  if (!EXTENSION.test(name))
    throw new ModuleRefused(`'${name}' is not a path with the extension .js, .mjs, .ts or .mts`);
  const root = await real(folder);
  const path = await real(join(folder, name));
  if (root === undefined || path === undefined || !(await stat(path)).isFile())
    throw new ModuleRefused(`module '${name}' does not exist below QUARRY_TRANSFORMERS_DIR`);
  if (!path.startsWith(root.endsWith(sep) ? root : root + sep)) throw outside(name);
  return path;
}

const outside = (name: string) =>
  new ModuleRefused(`'${name}' leads out of QUARRY_TRANSFORMERS_DIR`);

async function real(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP' || code === 'ENAMETOOLONG')
      return undefined;
    throw new ModuleRefused(`'${path}' cannot be read (${code})`, { cause: error });
  }
}
