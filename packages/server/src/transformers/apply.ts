/**
 * Runs the transformers of a connection over entities, one transformer after the other. Each transformer gets what the
 * transformer before it returned.
 *
 * A failure that one entity causes does not affect other entities: a call that fails is repeated with each of its
 * entities alone. After several calls that hung or ended their process, a transformer is not called any more in this
 * job. Otherwise a transformer that hangs could make a sync last for days.
 */
import type { Entity } from '../model/entity.ts';
import { must } from '../util.ts';
import { type Results, StepFailed, type TransformStep } from './step.ts';

const ENTITIES_PER_CALL = 100;
const CHARACTERS_PER_CALL = 2_000_000;
/**
 * After this many failures that cost a process or all of a call's time, a job does not call the transformer any more.
 */
const MAX_COSTLY_FAILURES = 5;

export type TransformOutcome =
  /**
   * These entities replace the input entity: the input itself, changed or not, and the entities that were made from it.
   * An empty list means that the input was dropped.
   */
  | { readonly entities: readonly Entity[] }
  /** `by` is the name of the transformer that failed; it is stored and shown with the failure. */
  | { readonly failed: StepFailed; readonly by: string };

/** Returns a map from the id of each given entity to its outcome. The ids must all be different. */
export type Apply = (
  entities: readonly Entity[],
  signal: AbortSignal,
) => Promise<ReadonlyMap<string, TransformOutcome>>;

export function createApply(
  steps: readonly TransformStep[],
  definitionOf: (type: string) => string,
): Apply {
  const costlyFailures = new Map<TransformStep, number>();

  return async (entities, signal) => {
    const outcomes = new Map<string, TransformOutcome>(
      entities.map((one) => [one.id, { entities: apart(one) }]),
    );
    for (const step of steps) await pass(step, outcomes, signal);
    return outcomes;
  };

  async function pass(
    step: TransformStep,
    outcomes: Map<string, TransformOutcome>,
    signal: AbortSignal,
  ) {
    const notFailed = [...outcomes].flatMap(([root, outcome]) =>
      'entities' in outcome ? [{ root, entities: outcome.entities }] : [],
    );
    const concerned = notFailed.flatMap(({ entities }) =>
      entities.filter(({ type }) => step.accepts(definitionOf(type))),
    );
    const results = new Map<string, readonly Entity[] | StepFailed>();
    for (const batch of calls(concerned))
      for (const [id, result] of await run(step, batch, signal)) results.set(id, result);
    for (const { root, entities } of notFailed) {
      const after = entities.map((entity) =>
        step.accepts(definitionOf(entity.type)) ? (results.get(entity.id) ?? []) : [entity],
      );
      const failed = after.find((result) => result instanceof StepFailed);
      if (failed) outcomes.set(root, { failed, by: step.name });
      else outcomes.set(root, { entities: after.flatMap((result) => result as Entity[]) });
    }
    failTakenIds(step, outcomes);
  }

  async function run(
    step: TransformStep,
    batch: readonly Entity[],
    signal: AbortSignal,
  ): Promise<Results> {
    const givenUp = (costlyFailures.get(step) ?? 0) >= MAX_COSTLY_FAILURES;
    try {
      if (givenUp) throw tooCostly();
      return await step.run(batch, signal);
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error;
      if (error.isCostly) costlyFailures.set(step, (costlyFailures.get(step) ?? 0) + 1);
      if (batch.length === 1 || error.isForAll) return new Map(batch.map(({ id }) => [id, error]));
    }
    const alone: [string, readonly Entity[] | StepFailed][] = [];
    for (const one of batch) alone.push(...(await run(step, [one], signal)));
    return new Map(alone);
  }
}

/** Returns the entity and those inside of it, which pass the transformers like all others. */
function apart(entity: Entity): Entity[] {
  const { inside, ...own } = entity;
  return inside ? [own, ...inside] : [entity];
}

const tooCostly = () =>
  new StepFailed(
    `it was given up after ${MAX_COSTLY_FAILURES} calls that hung or broke their process`,
    {
      hint: 'Look at the failures before this one, correct the transformer, and sync again.',
      isForAll: true,
    },
  );

function* calls(entities: readonly Entity[]): Generator<Entity[]> {
  let call: Entity[] = [];
  let size = 0;
  for (const entity of entities) {
    if (call.length >= ENTITIES_PER_CALL || size + entity.text.length > CHARACTERS_PER_CALL) {
      if (call.length > 0) yield call;
      call = [];
      size = 0;
    }
    call.push(entity);
    size += entity.text.length;
  }
  if (call.length > 0) yield call;
}

/**
 * Fails an input from which a transformer makes an entity with the id of another entity. An id belongs to the entity to
 * which the source gives it, or else to the first input from which an entity with this id was made.
 */
function failTakenIds(step: TransformStep, outcomes: Map<string, TransformOutcome>): void {
  const owners = new Map<string, string>([...outcomes.keys()].map((root) => [root, root]));
  for (const [root, outcome] of outcomes) {
    if ('failed' in outcome) continue;
    const taken = outcome.entities.find(({ id }) => (owners.get(id) ?? root) !== root);
    if (taken) outcomes.set(root, { failed: idIsTaken(taken.id), by: step.name });
    else for (const { id } of outcome.entities) owners.set(id, must(owners.get(id) ?? root));
  }
}

export const idIsTaken = (id: string) =>
  new StepFailed(`it gave an entity the id '${id}', which belongs to another entity`, {
    hint: 'Make the id of an added entity from the id of its input, followed by something that no other id has.',
  });
