/**
 * From records as their source has said them to rows: themselves, or what the transformers of their
 * connection make of them.
 *
 * What was made of a record lies in rows of its own, which come and go with it. A record that is dropped,
 * or that its transformers fail, keeps a row that is shown nowhere, so that other transformers find it
 * again without the source. One that fails and is shown already, itself or what was made in its place, as
 * those same transformers have left it, stays shown as it is.
 */

import type { Db } from '../../db/schema.ts';
import { stolen, type TransformOutcome } from '../../transformers/apply.ts';
import type { Chain } from '../../transformers/chain.ts';
import type { StepFailed } from '../../transformers/step.ts';
import { must } from '../../util.ts';
import type { LeftOutRecord } from '../jobs/left-out-store.ts';
import type { EntityChange, Stale } from './compare.ts';
import { asFailed, hasPassed } from './recipe.ts';
import { clean, entityHash } from './record.ts';
import type { StoredEntity } from './store.ts';
import * as store from './store.ts';

/** A record of which only what the source says is new: what is shown of it stays. */
export interface KeptAsShown {
  readonly stored: StoredEntity;
  readonly source: { readonly entity: Stale['entity']; readonly hash: string };
  readonly recipe: string;
  readonly version: string | null;
  readonly partition: string;
}

export interface Transformed {
  /** What was made of a record comes before its own row: as long as that is not written, all is made again. */
  readonly changes: readonly EntityChange[];
  /** Rows of what is no longer made of them. */
  readonly deletions: readonly StoredEntity[];
  readonly held: readonly KeptAsShown[];
  readonly failures: readonly LeftOutRecord[];
}

/** What is stored that has to do with these records. */
export interface StoredRelatives {
  /** Their ids, and those of all that the source has said with them. */
  readonly said: ReadonlySet<string>;
  /** What was made of a record, by its id. */
  readonly made: ReadonlyMap<string, readonly StoredEntity[]>;
  /** Of which record an id was made that may not be stored yet. */
  readonly given: Map<string, string>;
  /** Rows of these ids, whoever has them. */
  readonly named: (ids: readonly string[]) => Promise<ReadonlyMap<string, StoredEntity>>;
}

export async function knownOf(
  db: Db,
  connectionId: string,
  made: boolean,
  ids: readonly string[],
): Promise<StoredRelatives> {
  const said = new Set(ids);
  const rows = made ? await store.made(db, connectionId, ids) : new Map<string, StoredEntity[]>();
  return {
    said,
    // What the source now has of the same id is its own.
    made: new Map(
      [...rows].map(([id, made]) => [id, made.filter((row) => !said.has(row.entity_id))]),
    ),
    given: new Map(),
    named: (names) => store.stored(db, connectionId, names),
  };
}

/** Rows of these records, and of what was made of them. */
export const rowsOf = (
  ids: readonly string[],
  stored: ReadonlyMap<string, StoredEntity>,
  { made }: StoredRelatives,
): StoredEntity[] =>
  ids.flatMap((id) => {
    const row = stored.get(id);
    return [...(row?.origin === null ? [row] : []), ...(made.get(id) ?? [])];
  });

/** `generation`: of a row whose record has this one. */
export async function transform(
  stale: readonly Stale[],
  known: StoredRelatives,
  chain: Chain,
  attempt: string,
  generation: (stored: StoredEntity | undefined) => number,
  signal: AbortSignal,
): Promise<Transformed> {
  const changes: EntityChange[] = [];
  const deletions: StoredEntity[] = [];
  const held: KeptAsShown[] = [];
  const failures: LeftOutRecord[] = [];
  const concerned = stale.filter(({ entity }) => chain.via(entity.type) !== null);
  const outcomes = await chain.apply(
    concerned.map(({ entity }) => entity),
    signal,
  );
  const madeIds = concerned.flatMap(({ entity }) =>
    idsOf(must(outcomes.get(entity.id)), entity.id),
  );
  const taken = madeIds.length > 0 ? await known.named(madeIds) : new Map<string, StoredEntity>();
  for (const one of stale) {
    const outcome = outcomes.get(one.entity.id);
    const before = known.made.get(one.entity.id) ?? [];
    const stamp = {
      generation: generation(one.stored),
      version: one.version,
      partition: one.partition,
    };
    if (!outcome) {
      changes.push(asSaid(one, stamp.generation));
      deletions.push(...before);
    } else add(one, before, stamp, refuseTaken(one, outcome));
  }
  return { changes, deletions, held, failures };

  /** An id that the source has given to a record, or that was made of another one, is not free. */
  function refuseTaken({ entity }: Stale, outcome: TransformOutcome): TransformOutcome {
    const id = idsOf(outcome, entity.id).find((id) => {
      const stored = taken.get(id);
      return (
        known.said.has(id) ||
        (known.given.get(id) ?? entity.id) !== entity.id ||
        (stored !== undefined && stored.origin !== entity.id)
      );
    });
    return id === undefined ? outcome : { failed: stolen(id), by: 'of the last step' };
  }

  function add(
    one: Stale,
    before: readonly StoredEntity[],
    stamp: Stamp,
    outcome: TransformOutcome,
  ): void {
    const via = must(chain.via(one.entity.type));
    const source = { entity: one.entity, hash: one.hash };
    const { recipe } = one;
    if ('failed' in outcome) {
      failures.push(failure(one, outcome.by, outcome.failed));
      const { stored } = one;
      // Itself, or what was made of it and has taken its place.
      const isShown = stored && (!stored.is_hidden || before.length > 0);
      const failed = asFailed(recipe, attempt);
      if (isShown && stored.origin === null && hasPassed(stored.recipe, via))
        held.push({ ...stamp, stored, source, recipe: failed });
      else {
        changes.push(hide(one, stamp, failed, 'failed'));
        deletions.push(...before);
      }
      return;
    }
    const cleaned = outcome.entities.map((made) => (made === one.entity ? made : clean(made)));
    const own = cleaned.find(({ id }) => id === one.entity.id);
    const others = cleaned.filter((entity) => entity !== own);
    const stays = new Set(others.map(({ id }) => id));
    for (const entity of others) {
      const stored = taken.get(entity.id);
      known.given.set(entity.id, one.entity.id);
      const hash = entityHash(entity);
      changes.push({
        ...stamp,
        entity,
        stored,
        hash,
        recipe,
        version: null,
        source: null,
        origin: one.entity.id,
        hidden: null,
        contentChanged: stored?.hash !== hash,
      });
    }
    deletions.push(...before.filter((stored) => !stays.has(stored.entity_id)));
    if (!own) {
      changes.push(hide(one, stamp, recipe, 'dropped'));
      return;
    }
    const hash = own === one.entity ? one.hash : entityHash(own);
    changes.push({
      ...stamp,
      entity: own,
      stored: one.stored,
      hash,
      recipe,
      source,
      origin: null,
      hidden: null,
      contentChanged: one.stored?.hash !== hash,
    });
  }
}

type Stamp = Pick<EntityChange, 'generation' | 'version' | 'partition'>;

/** A record that no transformer concerns. */
export const asSaid = (stale: Stale, generation: number): EntityChange => ({
  ...stale,
  generation,
  source: null,
  origin: null,
  hidden: null,
  contentChanged: stale.stored?.hash !== stale.hash,
});

const hide = (
  { entity, hash, stored }: Stale,
  stamp: Stamp,
  recipe: string,
  hidden: 'dropped' | 'failed',
): EntityChange => ({
  ...stamp,
  entity,
  stored,
  // Of nothing: what is kept must not be guessed from it.
  hash: '',
  recipe,
  source: { entity, hash },
  origin: null,
  hidden,
  contentChanged: true,
});

const idsOf = (outcome: TransformOutcome, own: string): string[] =>
  'failed' in outcome ? [] : outcome.entities.map(({ id }) => id).filter((id) => id !== own);

const failure = ({ entity }: Stale, by: string, { message, hint }: StepFailed): LeftOutRecord => ({
  kind: 'fail',
  id: entity.id,
  type: entity.type,
  reason: `the transformer '${by}' failed: ${message}`,
  detail: null,
  hint,
  stage: 'transform',
});
