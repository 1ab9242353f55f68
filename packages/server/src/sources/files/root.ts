/** The root is the folder that a connection reads. */
import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { systemCode } from '../../documents/file-error.ts';
import type { OptionalKinds } from '../../documents/kinds.ts';
import { SourceError } from '../../errors.ts';
import type { SourceEnvironment } from '../define.ts';
import type { IsOwn } from '../own-files.ts';
import { createRules, type Patterns, type Rules } from './rules.ts';

/** These values stay the same during a sync. */
export interface SourceRoot {
  /** This is the real path of the folder. */
  readonly root: string;
  /** These rules decide which files below the root are read. */
  readonly rules: Rules;
  readonly isOwn: IsOwn;
  readonly optional?: OptionalKinds | undefined;
}

/** Makes the root and its rules. Throws a SourceError 'config' that says what is wrong with the path. */
export async function openSourceRoot(
  config: Patterns & { readonly path: string },
  { allowPath, ownFiles, optional }: Pick<SourceEnvironment, 'allowPath' | 'ownFiles' | 'optional'>,
): Promise<SourceRoot> {
  const root = await openRoot(config.path, allowPath);
  return { root, rules: createRules(config, root), isOwn: await ownFiles(), optional };
}

/** Returns the real path of the folder. Throws a SourceError 'config' that says what is wrong with the path. */
export async function openRoot(
  path: string,
  allowPath: (path: string) => Promise<string>,
): Promise<string> {
  try {
    const root = await realpath(await allowPath(path));
    if (!(await stat(root)).isDirectory())
      throw new SourceError('config', `${path} is a file: path names a folder`);
    await access(root, constants.R_OK | constants.X_OK);
    return root;
  } catch (error) {
    const code = systemCode(error);
    if (code === null) throw error;
    throw new SourceError('config', sentence(path, code), { cause: error });
  }
}

function sentence(path: string, code: string): string {
  if (code === 'ENOENT') return `${path} does not exist`;
  if (code === 'ENOTDIR') return `${path} does not exist: a part of it is a file`;
  if (code === 'EACCES') return `${path} cannot be read by the user that Quarry runs as`;
  return `${path} cannot be read: ${code}`;
}
