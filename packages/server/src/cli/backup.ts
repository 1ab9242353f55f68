/** `quarry backup` writes everything that the database holds into a file. The service may run meanwhile. */
import { withContents } from '../backup/contents.ts';
import { FORMAT, FORMAT_VERSION } from '../backup/format.ts';
import { writeBackup } from '../backup/write-file.ts';
import type { Config } from '../config.ts';
import { databaseUrl } from '../db/address.ts';
import { databaseKind } from '../db/connect.ts';
import type { Db } from '../db/schema.ts';
import { opensStored, secretAtHand } from '../encryption/keys.ts';
import { instant } from '../util.ts';
import { VERSION } from '../version.ts';
import { copyLine, describeCopy } from './copy-text.ts';
import { withOwnDatabase } from './own-database.ts';

export interface BackupFlags {
  readonly force?: true;
  readonly withKey?: true;
}

const WITH_KEY =
  'The backup holds the encryption key: whoever can read the file can open all stored credentials. Keep it like them.';
const WITHOUT_KEY =
  'The backup holds the stored credentials sealed, and not the encryption key: keep the key elsewhere (docs/encryption.md).';

export async function backUp(config: Config, path: string, flags: BackupFlags): Promise<void> {
  const kind = databaseKind(databaseUrl(config));
  const encryptionKey = flags.withKey ? keyOf(config) : undefined;
  const line = copyLine();
  const header = {
    format: FORMAT,
    formatVersion: FORMAT_VERSION,
    quarry: VERSION,
    database: kind,
    createdAt: instant(Date.now()),
    ...(encryptionKey !== undefined && { encryptionKey }),
  } as const;
  const written = await writeBackup(path, { replace: flags.force === true }, (write) =>
    withOwnDatabase(config, async (db) => {
      if (flags.withKey) await assertOpensAll(db, config);
      await withContents({ db, kind }, ({ migrations, parts }) =>
        write({ header: { ...header, migrations }, parts, progress: line.progress }),
      );
    }),
  ).finally(line.clear);
  process.stdout.write(
    `${path} is complete and was read again: ${describeCopy(written)}, ${written.bytes.toLocaleString('en')} bytes.\n${encryptionKey === undefined ? WITHOUT_KEY : WITH_KEY}\n`,
  );
}

/** A wrong key in a backup would be noticed only when the backup is needed. */
async function assertOpensAll(db: Db, config: Config): Promise<void> {
  if (await opensStored(db, { ...config, QUARRY_OTHER_ENCRYPTION_KEY: undefined })) return;
  throw new Error(
    'the encryption key at hand does not open all that is stored: give the key of the service, and run quarry rekey first if it is being changed',
  );
}

function keyOf(config: Config): string {
  const secret = secretAtHand(config);
  if (secret !== null) return secret;
  throw new Error(
    `there is no encryption key to include: set QUARRY_ENCRYPTION_KEY as for the service, or name the data directory with ${config.QUARRY_DATA_DIR}/encryption.key by --data-dir`,
  );
}
