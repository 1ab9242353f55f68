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
      'QUARRY_TRANSFORMERS_DIR is not set: ask the operator to set it to the folder of the modules',
    );
  const mayLeadOut = isAbsolute(name) || /[\\\0]/.test(name) || name.split('/').includes('..');
  if (mayLeadOut) throw leadsOut(name);
  if (!EXTENSION.test(name))
    throw new ModuleRefused(`'${name}' is not a path with the extension .js, .mjs, .ts or .mts`);
  const root = await realPathOf(folder);
  const path = await realPathOf(join(folder, name));
  if (root === undefined || path === undefined || !(await stat(path)).isFile())
    throw new ModuleRefused(`module '${name}' does not exist below QUARRY_TRANSFORMERS_DIR`);
  if (!path.startsWith(root.endsWith(sep) ? root : root + sep)) throw leadsOut(name);
  return path;
}

const leadsOut = (name: string) =>
  new ModuleRefused(`'${name}' leads out of QUARRY_TRANSFORMERS_DIR`);

async function realPathOf(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP' || code === 'ENAMETOOLONG')
      return undefined;
    throw new ModuleRefused(`'${path}' cannot be read (${code})`, { cause: error });
  }
}
