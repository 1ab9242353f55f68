/** Makes the schema of an earlier version, so that a database can take in the rows of that version. */
import type { Kysely } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import type { DatabaseKind } from './connect.ts';
import { migrationsOf } from './migrate.ts';
import type { Schema } from './schema.ts';

/**
 * Runs the migrations up to the last of these, in the transaction of the caller. Throws an Error with a sentence when this
 * version does not have exactly these migrations, or when the database has run others.
 */
export async function migrateTo(
  db: Kysely<Schema>,
  kind: DatabaseKind,
  names: readonly string[],
): Promise<void> {
  const known = Object.keys(migrationsOf(kind));
  const strange = names.filter((name, at) => known[at] !== name);
  if (strange.length > 0)
    throw new Error(
      `the backup is of another version of Quarry, which has run the migration ${strange.join(', ')}: restore it with that version`,
    );
  let broken: { readonly name: string; readonly cause: unknown } | undefined;
  const named = ([name, { up }]: [string, Migration]): [string, Migration] => [
    name,
    {
      // On PostgreSQL, Kysely asks something more after an error, and the transaction refuses that with another error.
      up: (inside) =>
        up(inside).catch((cause) => {
          broken ??= { name, cause };
          throw cause;
        }),
    },
  ];
  const migrations = Object.fromEntries(Object.entries(migrationsOf(kind)).map(named));
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const ran = (await migrator.getMigrations()).filter(({ executedAt }) => executedAt !== undefined);
  if (ran.length > names.length)
    throw new Error(
      'the database has the tables of a newer version than the backup: restore into a database without tables',
    );
  const { error } = await migrator.migrateTo(names.at(-1) ?? '');
  if (broken)
    throw new Error(`the migration ${broken.name} failed: ${(broken.cause as Error).message}`, {
      cause: broken.cause,
    });
  if (error !== undefined) throw error;
}
