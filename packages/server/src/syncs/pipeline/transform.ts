/**
 * Turns records as their source gave them into rows: the records themselves, or the entities that the transformers of
 * their connection make of them.
 *
 * The entities that were made of a record have rows of their own, which are deleted with the record. A record that is
 * dropped, or that its transformers fail, keeps a hidden row, so that other transformers find it again without asking
 * the source. A record that fails stays shown as it is if it is already shown in the form that the same transformers
 * gave it: either the record itself, or the entities that were made in its place.
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

/** Only the source's content is new for this record. What is shown of it stays. */
export interface KeptAsShown {
  readonly stored: StoredEntity;
  readonly source: { readonly entity: Stale['entity']; readonly hash: string };
  readonly recipe: string;
  readonly version: string | null;
  readonly partition: string;
}

export interface Transformed {
  /**
   * The entities that were made of a record come before its own row: until that row is written, all of them are made
   * again.
   */
  readonly changes: readonly EntityChange[];
  /** These are rows of entities that are no longer made of the records. */
  readonly deletions: readonly StoredEntity[];
  readonly held: readonly KeptAsShown[];
  readonly failures: readonly LeftOutRecord[];
}

/** This holds the stored entities that are related to the records of a batch. */
export interface StoredRelatives {
  /** These are the ids of the records, and of all other records that the source gave in the same batch. */
  readonly said: ReadonlySet<string>;
  /** The key is the id of a record, and the value has the entities that were made of it. */
  readonly made: ReadonlyMap<string, readonly StoredEntity[]>;
  /**
   * The key is the id of an entity that was made but may not be stored yet, and the value is the id of its record.
   */
  readonly given: Map<string, string>;
  /** Finds the stored rows with these ids, whatever they were made of. */
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
    // The source now has a record with the same id, so the row belongs to that record.
    made: new Map(
      [...rows].map(([id, made]) => [id, made.filter((row) => !said.has(row.entity_id))]),
    ),
    given: new Map(),
    named: (names) => store.stored(db, connectionId, names),
  };
}

/** Returns the rows of these records, and the rows of the entities that were made of them. */
export const rowsOf = (
  ids: readonly string[],
  stored: ReadonlyMap<string, StoredEntity>,
  { made }: StoredRelatives,
): StoredEntity[] =>
  ids.flatMap((id) => {
    const row = stored.get(id);
    return [...(row?.origin === null ? [row] : []), ...(made.get(id) ?? [])];
  });

/** `generation` returns the generation for the rows of a record, and takes the record's stored row. */
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

  /** Refuses an id that the source has given to a record, or that was made of another record. */
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
      // Either the record itself is shown, or the entities that were made in its place.
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

/** Makes a change of a record that no transformer concerns. */
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
  // The hash is empty, because hidden content must not be guessed from a hash.
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
