/**
 * Brings the indexes of a database to the form that they can have now, after an extension was installed or removed. Each
 * collection is one transaction, in which no other process writes to it; after an interruption, the next start goes on
 * with the rest.
 */
import type { Kysely } from 'kysely';
import { withoutLimits } from '../../db/limits.ts';
import type { Schema, Tx } from '../../db/schema.ts';
import { indexTerms } from '../../model/title.ts';
import { endNumber, firstNumber } from './numbers.ts';
import {
  addToForms,
  createForms,
  dropForms,
  type FormedIndex,
  type Forms,
  haveTables,
  installedForms,
} from './postgres-forms.ts';
import { toVector } from './rows.ts';

const PAGE = 500;

/** `announce` gets the number of collections that are about to be rebuilt, which may take minutes. */
export async function preparePostgresIndex(
  db: Kysely<Schema>,
  dimensions: number,
  announce: (collections: number) => void,
): Promise<Forms> {
  const forms = await installedForms(db);
  const others = await db
    .selectFrom('indexes as i')
    .leftJoin('index_forms as f', 'f.collection_id', 'i.collection_id')
    .select('i.collection_id')
    .where((eb) =>
      eb.or([
        eb('f.number', 'is', null),
        eb('f.words', '<>', forms.words),
        eb('f.vectors', '<>', forms.vectors),
      ]),
    )
    .orderBy('i.number')
    .execute();
  if (others.length > 0) announce(others.length);
  for (const { collection_id } of others)
    await db.transaction().execute((tx) => rebuild(tx, collection_id, forms, dimensions));
  return forms;
}

async function rebuild(
  tx: Tx,
  collectionId: string,
  forms: Forms,
  dimensions: number,
): Promise<void> {
  await withoutLimits(tx);
  const row = await tx
    .selectFrom('indexes')
    .select('number')
    .where('collection_id', '=', collectionId)
    .forUpdate()
    .executeTakeFirst();
  if (!row) return;
  const { number } = row;
  const now = await tx
    .selectFrom('index_forms')
    .selectAll()
    .where('collection_id', '=', collectionId)
    .executeTakeFirst();
  // Another process that starts at the same time may have finished first.
  if (now?.words === forms.words && now.vectors === forms.vectors) return;
  const index = { collectionId, number };
  await dropForms(tx, index);
  await createForms(tx, index, forms, dimensions);
  if (!haveTables(forms)) return;
  let after = firstNumber(number) - 1;
  for (let read = PAGE; read === PAGE; ) {
    const rows = await storedChunks(tx, index, after);
    const chunks = rows.map((row) => ({
      n: row.n,
      terms: indexTerms(row, row.is_titled),
      vector: toVector(row),
    }));
    await addToForms(tx, number, forms, chunks);
    after = rows.at(-1)?.n ?? after;
    read = rows.length;
  }
}

const storedChunks = (tx: Tx, { collectionId, number }: FormedIndex, after: number) =>
  tx
    .selectFrom('chunks as c')
    .innerJoin('chunk_bodies as b', 'b.n', 'c.n')
    .innerJoin('entities as e', 'e.id', 'c.entity')
    .select(['c.n', 'c.heading', 'e.name', 'b.text', 'b.is_titled', 'b.scale', 'b.vector'])
    .where('c.collection_id', '=', collectionId)
    .where('b.collection_id', '=', collectionId)
    .where('e.collection_id', '=', collectionId)
    .where('c.n', '>', after)
    // The condition follows from the join, but the planner does not know it and would begin with the first of all
    // rows.
    .where('b.n', '>', after)
    .where('c.n', '<', endNumber(number))
    .orderBy('c.n')
    .limit(PAGE)
    .execute();
