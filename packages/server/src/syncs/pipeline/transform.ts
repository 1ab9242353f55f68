/**
 * Turns records as their source gave them into rows: the records themselves with what is inside of them, or the entities
 * that the transformers of their connection make of them.
 *
 * The entities that were made of a record have rows of their own, which are deleted with the record. A record that its
 * transformers drop or fail keeps a hidden row, so that transformers can work on it again without asking the source.
 * There is one exception: a failed record stays shown in its earlier form if the same transformers made that form, and
 * only those find it who may still see the record at its source. The form is the record itself, or the entities that
 * were made in its place.
 */
import type { Db } from '../../db/schema.ts';
import type { ConnectionScope } from '../../engines/ports.ts';
import type { Entity } from '../../model/entity.ts';
import { skip } from '../../sources/items.ts';
import { idIsTaken, type TransformOutcome } from '../../transformers/apply.ts';
import type { Chain } from '../../transformers/chain.ts';
import type { StepFailed } from '../../transformers/step.ts';
import { must } from '../../util.ts';
import type { LeftOutRecord } from '../jobs/left-out-store.ts';
import type { Stale } from './compare.ts';
import { type Decision, datesOf, deletes, droppedRecord, touchOf, type Write } from './decision.ts';
import { hasPassed, incompleteRecipe, isSameRecipe, type Recipe } from './recipe.ts';
import { clean, entityHash } from './record.ts';
import { isShownWithin } from './shown-access.ts';
import type { StoredEntity } from './store.ts';
import * as store from './store.ts';

/** This holds the stored entities that are related to the records of a batch. */
export interface StoredRelatives {
  /** All records of the batch have these ids at the source. */
  readonly batchIds: ReadonlySet<string>;
  /** The key is the id of a record, and the value has the entities that were made of it. */
  readonly made: ReadonlyMap<string, readonly StoredEntity[]>;
  /**
   * The key is the id of an entity that was made in this batch and may not be stored yet, and the value is the id of
   * the record of which it was made.
   */
  readonly recordOf: Map<string, string>;
  /** Finds the stored rows of entities with these ids, of whatever record they were made. */
  readonly findStored: (ids: readonly string[]) => Promise<ReadonlyMap<string, StoredEntity>>;
}

/** `ids` are the ids of the records of a batch at their source. */
export async function relativesOf(
  db: Db,
  scope: ConnectionScope,
  ids: readonly string[],
): Promise<StoredRelatives> {
  const batchIds = new Set(ids);
  const rows = await store.made(db, scope, ids);
  return {
    batchIds,
    // If the batch has a record with the id of a made entity, the row belongs to that record.
    made: new Map(
      [...rows].map(([id, made]) => [id, made.filter((row) => !batchIds.has(row.entity_id))]),
    ),
    recordOf: new Map(),
    findStored: (names) => store.stored(db, scope, names),
  };
}

/**
 * Returns the rows of these records. The row of a record comes after the rows of the entities that were made of it, so
 * that a crash between two commits leaves no entity whose record is gone.
 */
export const rowsOf = (
  ids: readonly string[],
  stored: ReadonlyMap<string, StoredEntity>,
  { made }: StoredRelatives,
): StoredEntity[] =>
  ids.flatMap((id) => {
    const row = stored.get(id);
    return [...(made.get(id) ?? []), ...(row?.origin === null ? [row] : [])];
  });

export interface TransformDeps {
  readonly relatives: StoredRelatives;
  readonly chain: Chain;
  readonly attempt: string;
  /** Takes a record's stored row, and returns the generation that the rows of the record get. */
  readonly generationOf: (stored: StoredEntity | undefined) => number;
  readonly signal: AbortSignal;
}

/**
 * The decisions on the entities that were made of a record come before the decision on the record's own row: only that
 * row marks the record as processed, so after a crash between two commits all of them are made again.
 */
export async function transform(stale: readonly Stale[], deps: TransformDeps): Promise<Decision[]> {
  const { relatives, chain, generationOf, signal } = deps;
  const concerned = stale.filter(
    ({ entity }) => entity.inside !== undefined || chain.recipeOf(entity.type) !== null,
  );
  const inside = concerned.flatMap(({ entity }) => (entity.inside ?? []).map(({ id }) => id));
  const takenInside = await findTaken(inside, relatives);
  const { entities, leftOut, incomplete } = withoutTaken(concerned, {
    relatives,
    taken: takenInside,
  });
  const outcomes = await chain.apply(entities, signal);
  const known = new Set(inside);
  const made = concerned
    .flatMap(({ entity }) => idsOf(must(outcomes.get(entity.id)), entity.id))
    .filter((id) => !known.has(id));
  const taken = new Map([...takenInside, ...(await findTaken(made, relatives))]);
  const transformed = { ...deps, taken, incomplete };
  const decisions = stale.flatMap((one): Decision[] => {
    const outcome = outcomes.get(one.entity.id);
    if (!outcome)
      return [...deletes(madeOf(one, relatives)), asGiven(one, generationOf(one.stored))];
    const accepted = refuseTaken(one, outcome, transformed);
    return 'failed' in accepted
      ? failed(one, accepted, transformed)
      : passed(one, accepted.entities, transformed);
  });
  return [...decisions, ...leftOut];
}

/**
 * Leaves out the documents inside of files that have the ids of other records, such as that of a file in the folder
 * `pack.zip!` beside `pack.zip`.
 */
function withoutTaken(stale: readonly Stale[], known: KnownIds) {
  const leftOut: LeftOutRecord[] = [];
  const incomplete = new Set<string>();
  const entities = stale.map(({ entity }) => {
    const { inside } = entity;
    const { left = [], kept = [] } = Object.groupBy(inside ?? [], ({ id }) =>
      isTaken(id, entity.id, known) ? 'left' : 'kept',
    );
    leftOut.push(...left.map(({ id, type }) => ({ ...skip(id, type, TAKEN), stage: 'extract' })));
    if (left.length === 0) return entity;
    incomplete.add(entity.id);
    return { ...entity, inside: kept };
  });
  return { entities, leftOut, incomplete };
}

const findTaken = async (
  ids: readonly string[],
  { findStored }: StoredRelatives,
): Promise<ReadonlyMap<string, StoredEntity>> => (ids.length > 0 ? findStored(ids) : new Map());

const TAKEN = {
  reason: 'with the id of another record',
  hint: 'Another record has the path of this document inside of its file: rename one of the two.',
};

type KnownIds = Pick<TransformedBatch, 'relatives' | 'taken'>;

interface TransformedBatch extends TransformDeps {
  /** The keys are ids that transformers have given, and the values the rows that are stored under these ids. */
  readonly taken: ReadonlyMap<string, StoredEntity>;
  /** A document inside of these records was left out because of another record, which may go. */
  readonly incomplete: ReadonlySet<string>;
}

const madeOf = ({ entity }: Stale, { made }: StoredRelatives): readonly StoredEntity[] =>
  made.get(entity.id) ?? [];

interface TransformFailure {
  readonly failed: StepFailed;
  /** This is the name of the transformer, or null when the transformer is not known. */
  readonly by: string | null;
}

/**
 * Turns the outcome into a failure when a transformer gave an entity an id that a record of the source or an entity
 * made of another record has.
 */
function refuseTaken(
  { entity }: Stale,
  outcome: TransformOutcome,
  known: KnownIds,
): TransformOutcome | TransformFailure {
  const id = idsOf(outcome, entity.id).find((id) => isTaken(id, entity.id, known));
  return id === undefined ? outcome : { failed: idIsTaken(id), by: null };
}

/** Returns true when the id does not belong to an entity that was made of the record `owner`. */
function isTaken(id: string, owner: string, { relatives, taken }: KnownIds): boolean {
  const stored = taken.get(id);
  return (
    relatives.batchIds.has(id) ||
    (relatives.recordOf.get(id) ?? owner) !== owner ||
    (stored !== undefined && stored.origin !== owner)
  );
}

function failed(
  one: Stale,
  failure: TransformFailure,
  { relatives, chain, attempt, generationOf }: TransformedBatch,
): Decision[] {
  const { entity, hash, stored, recipe, version, partition, parent, contentHash } = one;
  const before = madeOf(one, relatives);
  const common = {
    recipe,
    version,
    partition,
    parent,
    contentHash,
    source: { entity, hash },
    failedAttempt: attempt,
    leftOut: failedRecord(one, failure),
  };
  // Either the record itself is shown, or the entities that were made in its place.
  const isShown = stored && (!stored.is_hidden || before.length > 0);
  const chainRecipe = chain.recipeOf(entity.type);
  const mayStay = [...(stored ? [stored] : []), ...before].every((row) =>
    isShownWithin(row, entity.access),
  );
  const isOfSameChain = !chainRecipe || (stored && hasPassed(stored, chainRecipe));
  if (isShown && mayStay && stored.origin === null && isOfSameChain)
    return [{ ...common, kind: 'retain', stored }];
  const generation = generationOf(stored);
  return [...deletes(before), { ...common, kind: 'hide', stored, generation }];
}

function passed(
  one: Stale,
  entities: readonly Entity[],
  { relatives, taken, incomplete, generationOf }: TransformedBatch,
): Decision[] {
  const { recipe, partition, parent, version, stored, contentHash } = one;
  const generation = generationOf(stored);
  const source = { entity: one.entity, hash: one.hash };
  const cleaned = entities.map((made) => (made === one.entity ? made : clean(made)));
  const own = cleaned.find(({ id }) => id === one.entity.id);
  const others = cleaned.filter((entity) => entity !== own);
  const stays = new Set(others.map(({ id }) => id));
  const written = others.map((entity): Decision => {
    relatives.recordOf.set(entity.id, one.entity.id);
    const known = taken.get(entity.id);
    const common = { partition, parent, generation, version: null };
    const hash = entityHash(entity);
    if (known?.hash === hash && isShownWith(recipe, known))
      return { ...touchOf(known, common), ...datesOf(entity) };
    const none = { contentHash: null, source: null };
    return write({
      ...common,
      ...none,
      recipe,
      entity,
      hash,
      stored: known,
      origin: one.entity.id,
    });
  });
  const gone = deletes(madeOf(one, relatives).filter(({ entity_id }) => !stays.has(entity_id)));
  const ownRecipe = incomplete.has(one.entity.id) ? incompleteRecipe(recipe) : recipe;
  const place = { partition, parent, generation, version };
  const common = { ...place, recipe: ownRecipe, contentHash, source, stored };
  if (own) {
    const hash = own === one.entity ? one.hash : entityHash(own);
    return [...gone, ...written, write({ ...common, entity: own, hash, origin: null })];
  }
  const leftOut = droppedRecord(one.entity.id, one.entity.type);
  return [...gone, ...written, { ...common, kind: 'hide', failedAttempt: null, leftOut }];
}

const isShownWith = (recipe: Recipe, stored: StoredEntity): boolean =>
  !stored.is_hidden && !stored.is_damaged && isSameRecipe(stored, recipe);

/** Decides on a record that no transformer concerns. */
export const asGiven = (stale: Stale, generation: number): Write =>
  write({ ...stale, generation, source: null, origin: null });

const write = (row: Omit<Write, 'kind' | 'contentChanged'>): Write => ({
  ...row,
  kind: 'write',
  contentChanged: row.stored?.hash !== row.hash,
});

const idsOf = (outcome: TransformOutcome, own: string): string[] =>
  'failed' in outcome ? [] : outcome.entities.map(({ id }) => id).filter((id) => id !== own);

const failedRecord = (
  { entity }: Stale,
  { by, failed: { message, hint } }: TransformFailure,
): LeftOutRecord => ({
  kind: 'fail',
  id: entity.id,
  type: entity.type,
  reason: `${by === null ? 'a transformer' : `the transformer '${by}'`} failed: ${message}`,
  detail: null,
  hint,
  stage: 'transform',
});
