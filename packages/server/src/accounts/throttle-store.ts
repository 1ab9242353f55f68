/** This file has the queries on sign-ins that have failed. */
import { sql } from 'kysely';
import type { DatabaseKind } from '../db/connect.ts';
import type { Db, Tx } from '../db/schema.ts';

/** Sign-ins of the same subject wait for each other until the transaction ends. */
export async function lockSubjects(
  tx: Tx,
  kind: DatabaseKind,
  subjects: readonly string[],
): Promise<void> {
  // SQLite allows one writing transaction at a time. The caller has to write before it reads.
  if (kind === 'sqlite') return;
  for (const subject of subjects.toSorted())
    await sql`select pg_advisory_xact_lock(hashtextextended(${subject}, 0))`.execute(tx);
}

export const note = (
  tx: Tx,
  { id, subjects, at }: { id: string; subjects: readonly string[]; at: number },
) =>
  tx
    .insertInto('sign_in_failures')
    .values(subjects.map((subject) => ({ id, subject, at })))
    .execute();

/**
 * Returns the time of the `most`th newest failure of the subject for which it is the latest; undefined when no subject
 * has so many failures since that time.
 */
export async function lastToLeave(
  tx: Tx,
  { subjects, since, most }: { subjects: readonly string[]; since: number; most: number },
): Promise<number | undefined> {
  const numbered = tx
    .selectFrom('sign_in_failures')
    .where('subject', 'in', subjects)
    .where('at', '>', since)
    .select([
      'at',
      sql<number>`row_number() over (partition by subject order by at desc, id desc)`.as('place'),
    ])
    .as('numbered');
  const row = await tx
    .selectFrom(numbered)
    .where('place', '=', most)
    .select((eb) => eb.fn.max('at').as('at'))
    .executeTakeFirst();
  return row?.at ?? undefined;
}

/** Neither a sign-in that has succeeded nor the earlier failures of its account count any longer. */
export async function forgive(
  db: Db,
  { id, accounts }: { readonly id: string; readonly accounts: readonly string[] },
): Promise<void> {
  await db
    .deleteFrom('sign_in_failures')
    .where((eb) => eb.or([eb('id', '=', id), ...accounts.map((one) => eb('subject', '=', one))]))
    .execute();
}
