/** `quarry keys create` makes a key directly in the database. The service may run meanwhile. */
import { existsSync } from 'node:fs';
import { z } from 'zod';
import type { Config } from '../config.ts';
import { assertMigrated, connect, databaseKind } from '../db/connect.ts';
import { explained } from '../db/unavailable.ts';
import { databaseUrl } from '../engines/choose.ts';
import type { Role } from '../model/role.ts';
import { NewApiKey } from '../organizations/key-schema.ts';
import { makeLocalKey } from '../organizations/local-key.ts';

export interface KeyFlags {
  readonly name: string;
  readonly role: Role;
  /** This is the id of the organization. */
  readonly organization?: string;
}

/**
 * Prints the key to standard output and a description of the key to standard error, so that a script can read the key.
 */
export async function createKey(config: Config, flags: KeyFlags): Promise<void> {
  const { success, data, error } = NewApiKey.safeParse({ name: flags.name, role: flags.role });
  if (!success) throw new Error(`--name and --role: ${z.prettifyError(error)}`);
  const url = databaseUrl(config);
  const kind = databaseKind(url);
  // This check comes first, because SQLite would create a missing file.
  if (kind === 'sqlite' && !existsSync(url))
    throw new Error(
      `${config.QUARRY_DATA_DIR} holds no database: start Quarry once, which makes the first key, or name the data directory with --data-dir`,
    );
  const db = connect(url);
  try {
    await assertMigrated(db, kind);
    const { key, organization } = await makeLocalKey(db, data, flags.organization);
    process.stderr.write(
      `An API key with the role ${data.role} of the organization '${organization.name}' (${organization.id}), shown once: keep it.\n`,
    );
    process.stdout.write(`${key}\n`);
  } catch (error) {
    throw explained(error);
  } finally {
    await db.destroy();
  }
}
