/** Lets the commands on this machine find a service that has started, and gives them a key. */
import type { Config } from '../config.ts';
import { isDataDirLocked } from '../db/lock.ts';
import { authenticates } from '../organizations/key-store.ts';
import { makeLocalKey } from '../organizations/local-key.ts';
import { readCommandKey, removeRunning, writeCommandKey, writeRunning } from './command-files.ts';
import { withOwnDatabase } from './own-database.ts';
import { addressOf } from './service-client.ts';

const NAME = 'Commands on the machine of Quarry';

/**
 * A service that was killed has left its address and the number of its process. While another process holds the data
 * directory, its address stays.
 */
export function forgetEarlierService({ QUARRY_DATA_DIR, DATABASE_URL }: Config): void {
  if (DATABASE_URL === undefined && !isDataDirLocked(QUARRY_DATA_DIR))
    removeRunning(QUARRY_DATA_DIR);
}

/**
 * Only the data directory of an embedded database belongs to one service. An operator who has set a key has given it to
 * the commands, too, so no other one is made. Throws an Error with a message for users when the database takes no writes.
 */
export async function letCommandsIn(config: Config, listening: string): Promise<void> {
  const { QUARRY_DATA_DIR: dataDir, DATABASE_URL, QUARRY_API_KEY } = config;
  if (DATABASE_URL !== undefined) return;
  process.once('exit', () => removeRunning(dataDir));
  // The settings may name any free port, and an address that means all addresses.
  const address = addressOf({ ...config, QUARRY_PORT: Number(new URL(listening).port) });
  writeRunning(dataDir, { address, pid: process.pid });
  if (QUARRY_API_KEY === undefined) await commandKey(config);
}

/** Returns the key that the data directory keeps for commands. A new one takes the place of one that is not valid. */
export async function commandKey(config: Config): Promise<string> {
  const known = readCommandKey(config.QUARRY_DATA_DIR);
  return withOwnDatabase(config, async (db) => {
    if (known !== undefined && (await authenticates(db, known))) return known;
    const { key } = await makeLocalKey(db, { name: NAME, role: 'admin' }, undefined);
    writeCommandKey(config.QUARRY_DATA_DIR, key);
    return key;
  });
}
