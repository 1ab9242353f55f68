/**
 * Says where the files of this installation are: in the repository, whose code is in `src` or bundled in a folder beside it
 * (scripts/prepared-code.ts), or in the published package, whose code is bundled in `dist` (scripts/pack). This file is
 * directly in that folder, and a bundle must keep it there.
 */
import { extname } from 'node:path';

/** The folder of the code. */
const code = new URL('.', import.meta.url);

/** If false, this is a clone of the repository. */
export const isPackage = code.pathname.endsWith('/dist/');

/** Returns the address of a module that a thread or a process of its own runs, such as `documents/extract-child`. */
export const moduleFile = (name: string): URL =>
  new URL(`${name}${extname(import.meta.url)}`, code);

/** Returns the address of a folder of the code, such as `sandbox/`, and of all of the code for an empty path. */
export const codeFolder = (path: string): URL => new URL(path, code);

/** Returns the address of a file or folder of the package, such as `package.json`. */
export const packageFile = (path: string): URL => new URL(`../${path}`, code);
