/** Asks an index single questions. Each question opens a look of its own. */
import type { Kysely } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import { indexNumber } from '../../engines/index/index-rows.ts';
import { firstNumber } from '../../engines/index/numbers.ts';
import type { IndexLook, IndexQuery, IndexScope, SearchIndex, Sight } from '../../engines/ports.ts';

export type Asking = ReturnType<typeof asking>;

export function asking(index: SearchIndex, db: Kysely<Schema>) {
  const ask = <Found>(collectionId: string, question: (look: IndexLook) => Promise<Found>) =>
    index.look(db, [collectionId], { find: question, read: async (found) => found });
  return {
    candidates: (collectionId: string, query: IndexQuery) =>
      ask(collectionId, (look) => look.candidates(query)),
    statistics: (collectionId: string, terms: readonly string[], sight: Sight) =>
      index.look(db, [collectionId], {
        async find(look, tx) {
          const number = await indexNumber(tx, collectionId);
          const version = number === undefined ? 0 : look.versionOf(firstNumber(number));
          return { version, ...(await look.statistics(terms, sight)) };
        },
        read: async (found) => found,
      }),
    cosines: (collectionId: string) => ask(collectionId, async (look) => look.cosines),
    count: (collectionId: string, scope: IndexScope) =>
      ask(collectionId, (look) => look.count(scope)),
  };
}

/** Returns the index with looks in which `otherwise` replaces some of the functions. */
export const answering = (
  index: SearchIndex,
  otherwise: (look: IndexLook, collectionIds: readonly string[]) => Partial<IndexLook>,
): SearchIndex => ({
  ...index,
  look: (db, collectionIds, { find, read }) =>
    index.look(db, collectionIds, {
      find: (look, tx) => find({ ...look, ...otherwise(look, collectionIds) }, tx),
      read,
    }),
});
