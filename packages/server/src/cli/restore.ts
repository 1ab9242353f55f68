/** `quarry restore` fills an empty database from a backup. */
import { checkBackup, readBackup } from '../backup/read-file.ts';
import type { Config } from '../config.ts';
import { directDatabaseUrl } from '../db/address.ts';
import { prepareDataDir } from '../db/data-dir.ts';
import { secretAtHand } from '../encryption/keys.ts';
import { giveKeyFile } from '../secrets.ts';
import { copyLine, describeCopy } from './copy-text.ts';
import { fillDatabase, keyAdvice } from './fill-database.ts';

export async function checkFile(path: string): Promise<void> {
  const { header, end } = await checkBackup(path);
  process.stdout.write(
    `${path} is complete: made ${header.createdAt} by Quarry ${header.quarry} from ${header.database}, ${describeCopy(end)}.\n${header.encryptionKey === undefined ? 'It does not hold the encryption key.' : 'It holds the encryption key.'}\n`,
  );
}

export async function restore(config: Config, path: string): Promise<void> {
  const { header, parts } = await readBackup(path);
  const url = directDatabaseUrl(config);
  const line = copyLine();
  // The key comes first, because a database without its key could not be restored again.
  const isKeyNew = giveKey(config, header.encryptionKey);
  const { migrations, createdAt } = header;
  const origin = { migrations, parts, progress: line.progress };
  const copy = await fillDatabase(url, origin).finally(line.clear);
  process.stdout.write(
    `The state of ${createdAt} is restored: ${describeCopy(copy)}.\n${isKeyNew ? `The encryption key is in ${config.QUARRY_DATA_DIR}/encryption.key.\n` : ''}`,
  );
  const advice = await keyAdvice(url, config);
  if (advice) process.stdout.write(`${advice}\n`);
}

/**
 * Returns true when the key was not there. It stays when the restore fails, because a connection may break after the database
 * was filled; the next attempt needs it, too.
 */
function giveKey(config: Config, secret: string | undefined): boolean {
  if (secret === undefined) return false;
  const present = secretAtHand(config);
  if (present === secret || config.QUARRY_OTHER_ENCRYPTION_KEY === secret) return false;
  // Otherwise the key of the backup could not be had any more, because the database is not empty then.
  if (present !== null)
    throw new Error(
      `the backup holds another encryption key than the present one: unset QUARRY_ENCRYPTION_KEY, and move ${config.QUARRY_DATA_DIR}/encryption.key away`,
    );
  prepareDataDir(config.QUARRY_DATA_DIR);
  return giveKeyFile(config.QUARRY_DATA_DIR, secret);
}
