/** Recognizes by its contents a folder that is left out by default, whatever its name is. */
import { join } from 'node:path';
import { BY_CONTENTS, type Reason } from '../../documents/left-out/left-out.ts';
import { openPlain } from './open-plain.ts';

/** `names` are all names in the folder. */
export async function reasonByContents(
  folder: string,
  names: readonly string[],
): Promise<Reason | null> {
  const present = new Set(names);
  for (const { reason, detail, name, begins } of BY_CONTENTS)
    if (
      present.has(name) &&
      (begins === undefined || (await beginsWith(join(folder, name), begins)))
    )
      return { reason, detail };
  return null;
}

/** Recognizes such a folder by the names in it alone, where its files cannot be opened. */
export function reasonByNames(names: readonly string[]): Reason | null {
  const found = BY_CONTENTS.find(
    ({ name, begins }) => begins === undefined && names.includes(name),
  );
  return found ? { reason: found.reason, detail: found.detail } : null;
}

async function beginsWith(path: string, text: string): Promise<boolean> {
  const expected = Buffer.from(text);
  await using file = await openPlain(path);
  if (!file) return false;
  const { buffer } = await file.read(Buffer.alloc(expected.length), 0, expected.length, 0);
  return buffer.equals(expected);
}
