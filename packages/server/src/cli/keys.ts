/** `quarry keys create` makes a key directly in the database. The service may run meanwhile. */
import { z } from 'zod';
import type { Config } from '../config.ts';
import type { Role } from '../model/role.ts';
import { NewApiKey } from '../organizations/key-schema.ts';
import { makeLocalKey } from '../organizations/local-key.ts';
import { withOwnDatabase } from './own-database.ts';

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
  const { key, organization } = await withOwnDatabase(config, (db) =>
    makeLocalKey(db, data, flags.organization),
  );
  process.stderr.write(
    `An API key with the role ${data.role} of the organization '${organization.name}' (${organization.id}), shown once: keep it.\n`,
  );
  process.stdout.write(`${key}\n`);
}
