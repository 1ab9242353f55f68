/** Finds the encryption key of a process, and refuses one that does not open what is stored. */
import type { Config } from '../config.ts';
import type { Db } from '../db/schema.ts';
import { createVault, hasKeyFile, keyFileSecret, type Vault } from '../secrets.ts';
import { isSealedWithNoneOf } from './sealed-store.ts';

type KeySettings = Pick<
  Config,
  'QUARRY_ENCRYPTION_KEY' | 'QUARRY_OTHER_ENCRYPTION_KEY' | 'QUARRY_DATA_DIR'
>;

interface OpenVault {
  readonly vault: Vault;
  /** The key that seals is derived from this secret. */
  readonly secret: string;
}

/**
 * Opens the vault of a service. Makes the key file at the first start. Throws an Error with a sentence when a stored
 * value is sealed with a key that the settings do not have; otherwise the mistake would be noticed only when the value
 * is needed.
 */
export async function openVault(db: Db, settings: KeySettings): Promise<OpenVault> {
  const { QUARRY_ENCRYPTION_KEY: own, QUARRY_OTHER_ENCRYPTION_KEY: other } = settings;
  // A key file is made only when no stored value needs the key of an earlier file. Otherwise a new key in the place of
  // a lost one could open nothing, and would look like the lost one.
  const isMissing = own === undefined && !hasKeyFile(settings.QUARRY_DATA_DIR);
  if (isMissing)
    await refuseForeignKeys(db, other === undefined ? [''] : createVault(other).keyIds);
  const secret = own ?? keyFileSecret(settings.QUARRY_DATA_DIR);
  const vault = createVault(secret, other);
  if (!isMissing) await refuseForeignKeys(db, vault.keyIds);
  return { vault, secret };
}

async function refuseForeignKeys(db: Db, keyIds: readonly string[]): Promise<void> {
  if (await isSealedWithNoneOf(db, keyIds))
    throw new Error(
      'the encryption key is not the one that the stored credentials and signing secrets were sealed with: restore encryption.key, or set QUARRY_ENCRYPTION_KEY to the old key',
    );
}

/**
 * Opens the vault of a command that runs beside the service. Makes no key. Throws an Error with a sentence when the
 * present key is missing.
 */
export function openVaultBeside(settings: KeySettings): Vault {
  const { QUARRY_ENCRYPTION_KEY: own, QUARRY_DATA_DIR: dataDir } = settings;
  if (own === undefined && !hasKeyFile(dataDir))
    throw new Error(
      `there is no encryption key: set QUARRY_ENCRYPTION_KEY as for the service, or start the service once, which makes ${dataDir}/encryption.key`,
    );
  return createVault(own ?? keyFileSecret(dataDir), settings.QUARRY_OTHER_ENCRYPTION_KEY);
}

/** Returns the secret of the present key, or null when there is none. Makes no key. */
export const secretAtHand = ({
  QUARRY_ENCRYPTION_KEY: own,
  QUARRY_DATA_DIR: dataDir,
}: KeySettings): string | null => own ?? (hasKeyFile(dataDir) ? keyFileSecret(dataDir) : null);

/** Tells whether the keys of the settings open all stored values that somebody may still need. */
export async function opensStored(db: Db, settings: KeySettings): Promise<boolean> {
  const secret = secretAtHand(settings);
  const { QUARRY_OTHER_ENCRYPTION_KEY: other } = settings;
  const keyIds = [secret, other].flatMap((one) => (one ? createVault(one).keyIds : []));
  // No key has an empty id.
  return !(await isSealedWithNoneOf(db, keyIds.length > 0 ? keyIds : ['']));
}
