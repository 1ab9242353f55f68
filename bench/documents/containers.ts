/** Packs documents into mails and archives. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  filePart,
  mailOf,
  multipart,
  textPart,
} from '../../packages/server/src/test/documents/mail-file.ts';
import { CACHE, type Made } from './make.ts';
import { run } from './programs.ts';
import { markdownOf } from './write-source.ts';

const FOLDER = join(CACHE, 'containers');

/** Returns the paths of a message with attachments, of a mailbox, and of two archives of all documents. */
export async function packDocuments(made: readonly Made[]): Promise<string[]> {
  mkdirSync(FOLDER, { recursive: true });
  const [eml, mbox, tar, tgz] = ['eml', 'mbox', 'tar', 'tar.gz'].map((kind) =>
    join(FOLDER, `all.${kind}`),
  ) as [string, string, string, string];
  const message = mailWith(made);
  writeFileSync(eml, message);
  const separator = Buffer.from('From ann@example.org Mon Mar  3 10:00:00 2025\n');
  const messages = made.map((one) => mailWith([one]));
  writeFileSync(
    mbox,
    Buffer.concat(messages.flatMap((one) => [separator, one, Buffer.from('\n\n')])),
  );
  const links = made.flatMap(({ path }) => ['-C', join(path, '..'), basename(path)]);
  if (!existsSync(tgz)) await run('tar', ['-czf', tgz, ...links]);
  if (!existsSync(tar)) await run('tar', ['-cf', tar, ...links]);
  return [eml, mbox, tar, tgz];
}

function mailWith(made: readonly Made[]): Buffer {
  const [first] = made;
  const text = first === undefined ? '' : markdownOf(first.source, true);
  const parts = made.map(({ path }) => filePart(basename(path), readFileSync(path, 'latin1')));
  const latin1 = Buffer.from(text).toString('latin1');
  return mailOf(multipart('mixed', [textPart(latin1), ...parts]));
}
