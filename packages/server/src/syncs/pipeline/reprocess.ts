/**
 * Transforms stored records again: records that have not passed the present versions of their connection's
 * transformers, and records that failed. It does not ask the source. Each sync begins with it, unless all stored
 * records have passed the present transformers.
 *
 * Stored records keep their partition and their generation, because only a pull can tell that a record still exists.
 */
import type { Kysely } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import type { Embedder, SearchIndex } from '../../engines/ports.ts';
import type { Chain } from '../../transformers/chain.ts';
import { must } from '../../util.ts';
import type { LeftOutRecord } from '../jobs/left-out-store.ts';
import { noTally, type Tally } from '../jobs/tally.ts';
import type { CommitTarget, Committer, PreparedChange } from './commit.ts';
import { type Stale, tallyChange } from './compare.ts';
import { bySize } from './pages.ts';
import { type PartOptions, toCommits } from './parts.ts';
import type { Pace } from './pipeline.ts';
import {
  hasFailed,
  isReadable,
  remadeRecipe,
  unreadableRecipe,
  wentThrough,
  withVia,
} from './recipe.ts';
import { decompress } from './record.ts';
import * as store from './reprocess-store.ts';
import { knownOf, transform } from './transform.ts';

/** The compressed records in memory have at most this many bytes at once. */
const BYTES = 256 * 1024;

export interface ReprocessDeps extends Pace {
  readonly db: Kysely<Schema>;
  readonly index: SearchIndex;
  readonly embedder: Embedder;
  readonly committer: Committer;
  readonly chain: Chain;
  readonly target: CommitTarget;
  readonly signal: AbortSignal;
}

/**
 * This says which pull follows in the same job. A pull of everything counts records that are unchanged, left out or
 * failed, and tries failed records again with the content that the source then gives.
 */
export type Following = 'nothing' | 'changes' | 'everything';

/** Makes the next sync check all stored records again. */
export const noteIncomplete = (deps: ReprocessDeps): Promise<void> => mark(deps, store.INCOMPLETE);

export async function reprocess(deps: ReprocessDeps, following: Following): Promise<void> {
  const { db, chain, target, committer, embedder, signal } = deps;
  const parts: PartOptions = {
    atomic: false,
    embedder,
    knownVectors: (textHashes) => deps.index.vectors(db, target, textHashes),
    tallyOf: (change) => tallyAgain(change, target, following),
    signal,
  };
  const isFirst = following === 'everything';
  // A failure before a pull of everything does not count as tried in this attempt, so that the pull tries it again.
  const attempt = isFirst ? `before:${target.attempt}` : target.attempt;
  let failed = 0;
  await noteIncomplete(deps);
  for (let after: string | null = null; ; ) {
    const page: store.RecordRow[] = await store.page(db, target.connectionId, after);
    if (page.length === 0) break;
    after = must(page.at(-1)).entity_id;
    if (isFirst) failed += page.filter(({ recipe }) => hasFailed(recipe)).length;
    const outdated = page.filter(
      (row) => isReadable(row.recipe) && isOutdated(row, row.entity_type),
    );
    for (const some of bySize(outdated, BYTES)) {
      signal.throwIfAborted();
      await again(some);
    }
  }
  if (failed === 0) await mark(deps, chain.signature);

  function isOutdated({ recipe }: store.RecordRow, type: string): boolean {
    return (!isFirst && hasFailed(recipe)) || !wentThrough(recipe, chain.via(type));
  }

  async function again(rows: readonly store.RecordRow[]): Promise<void> {
    const { stale, unreadable } = await read(rows);
    const ids = stale.map(({ entity }) => entity.id);
    const known = await knownOf(db, target.connectionId, true, ids);
    const made = await transform(
      stale,
      known,
      chain,
      attempt,
      (row) => must(row).generation,
      signal,
    );
    const failures = [...made.failures, ...unreadable.map(toFailure)];
    failed += failures.length;
    const preparation = { ...made, seen: [], leftOut: isFirst ? [] : failures };
    for (const changes of await toCommits(preparation, target, parts))
      await step(deps, () => committer.commit(changes));
    const recipes = Map.groupBy(unreadable, ({ recipe }) => unreadableRecipe(recipe));
    if (recipes.size > 0)
      await step(deps, () => committer.also((tx) => store.writeRecipes(tx, recipes)));
  }

  async function read(rows: readonly store.RecordRow[]) {
    const raws = await store.raws(
      db,
      rows.map(({ id }) => id),
    );
    const stale: Stale[] = [];
    const unreadable: store.RecordRow[] = [];
    for (const row of rows) {
      const entity = readRecord(raws.get(row.id));
      if (!entity) unreadable.push(row);
      // Only the raw record has the type from before a transformer changed it.
      else if (isOutdated(row, entity.type)) stale.push(toStale(row, entity));
    }
    return { stale, unreadable };
  }

  function toStale(row: store.RecordRow, entity: Stale['entity']): Stale {
    const { version, partition } = row;
    const recipe = withVia(remadeRecipe(row.recipe, embedder.model), chain.via(entity.type));
    return { entity, hash: row.source_hash ?? row.hash, stored: row, recipe, version, partition };
  }
}

function mark(deps: ReprocessDeps, signature: string): Promise<void> {
  const { committer, target } = deps;
  return step(deps, () =>
    committer.also((tx) => store.writeTransformed(tx, target.connectionId, signature)),
  );
}

async function step(
  { beforeCommit, afterCommit }: Pace,
  commit: () => ReturnType<Committer['commit']>,
): Promise<void> {
  await beforeCommit();
  await afterCommit(await commit());
}

function tallyAgain(change: PreparedChange, target: CommitTarget, following: Following): Tally {
  const tally = tallyChange(change, target);
  if (following === 'nothing') return tally;
  if (tally.kept > 0) return noTally;
  return { ...tally, skipped: 0, leftOut: {}, skippedBy: {} };
}

const toFailure = ({ entity_id, entity_type }: store.RecordRow): LeftOutRecord => ({
  kind: 'fail',
  id: entity_id,
  type: entity_type,
  reason: 'its stored record cannot be read',
  detail: null,
  hint: 'A full sync asks the source for it again.',
  stage: 'transform',
});

function readRecord(raw: Uint8Array | undefined): Stale['entity'] | undefined {
  if (!raw) return undefined;
  try {
    return decompress(raw);
  } catch {
    // The caller counts and marks such a record, and the next full sync asks the source for it again.
    return undefined;
  }
}
