/**
 * Runs the transformers of a connection over entities in their order, each on what the one before it returned.
 *
 * A failure that one entity causes costs no other entity anything: a call that fails is repeated with each of its
 * entities alone. A transformer that costs a process or all of its time again and again is given up for the rest of
 * the job, so that a transformer that hangs cannot make a sync last for days.
 */
import type { Entity } from '../model/entity.ts';
import { must } from '../util.ts';
import { type Results, StepFailed, type TransformStep } from './step.ts';

const ENTITIES_A_CALL = 100;
const CHARACTERS_A_CALL = 2_000_000;
/** A transformer may fail in a costly way this many times in one job. */
const PATIENCE = 5;

export type TransformOutcome =
  /**
   * These entities are shown for the input: the input itself, changed or not, and those that were made from it. An
   * empty list means that it was dropped.
   */
  | { readonly entities: readonly Entity[] }
  /** `by` is the name of the transformer that failed. */
  | { readonly failed: StepFailed; readonly by: string };

/** Returns the outcomes by the id of each entity that went in. These ids must all be different. */
export type Apply = (
  entities: readonly Entity[],
  signal: AbortSignal,
) => Promise<ReadonlyMap<string, TransformOutcome>>;

export function createApply(
  steps: readonly TransformStep[],
  definitionOf: (type: string) => string,
): Apply {
  const costs = new Map<TransformStep, number>();

  return async (entities, signal) => {
    const outcomes = new Map<string, TransformOutcome>(
      entities.map((one) => [one.id, { entities: [one] }]),
    );
    for (const step of steps) await pass(step, outcomes, signal);
    return outcomes;
  };

  async function pass(
    step: TransformStep,
    outcomes: Map<string, TransformOutcome>,
    signal: AbortSignal,
  ) {
    const living = [...outcomes].flatMap(([root, outcome]) =>
      'entities' in outcome ? [{ root, entities: outcome.entities }] : [],
    );
    const concerned = living.flatMap(({ entities }) =>
      entities.filter(({ type }) => step.takes(definitionOf(type))),
    );
    const results = new Map<string, readonly Entity[] | StepFailed>();
    for (const batch of calls(concerned))
      for (const [id, result] of await run(step, batch, signal)) results.set(id, result);
    for (const { root, entities } of living) {
      const after = entities.map((entity) =>
        step.takes(definitionOf(entity.type)) ? (results.get(entity.id) ?? []) : [entity],
      );
      const failed = after.find((result) => result instanceof StepFailed);
      if (failed) outcomes.set(root, { failed, by: step.name });
      else outcomes.set(root, { entities: after.flatMap((result) => result as Entity[]) });
    }
    failTwins(step, outcomes);
  }

  async function run(
    step: TransformStep,
    batch: readonly Entity[],
    signal: AbortSignal,
  ): Promise<Results> {
    const givenUp = (costs.get(step) ?? 0) >= PATIENCE;
    try {
      if (givenUp) throw tooCostly();
      return await step.run(batch, signal);
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error;
      if (error.isCostly) costs.set(step, (costs.get(step) ?? 0) + 1);
      if (batch.length === 1 || error.isForAll) return new Map(batch.map(({ id }) => [id, error]));
    }
    const alone: [string, readonly Entity[] | StepFailed][] = [];
    for (const one of batch) alone.push(...(await run(step, [one], signal)));
    return new Map(alone);
  }
}

const tooCostly = () =>
  new StepFailed(`it was given up after ${PATIENCE} calls that hung or broke their process`, {
    hint: 'Look at the failures before this one, put the transformer right, and sync again.',
    isForAll: true,
  });

function* calls(entities: readonly Entity[]): Generator<Entity[]> {
  let call: Entity[] = [];
  let size = 0;
  for (const entity of entities) {
    if (call.length >= ENTITIES_A_CALL || size + entity.text.length > CHARACTERS_A_CALL) {
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
 * An id belongs to the entity to which the source gives it, or else to the first entity
 * from which a transformer makes it.
 */
function failTwins(step: TransformStep, outcomes: Map<string, TransformOutcome>): void {
  const owners = new Map<string, string>([...outcomes.keys()].map((root) => [root, root]));
  for (const [root, outcome] of outcomes) {
    if ('failed' in outcome) continue;
    const taken = outcome.entities.find(({ id }) => (owners.get(id) ?? root) !== root);
    if (taken) outcomes.set(root, { failed: stolen(taken.id), by: step.name });
    else for (const { id } of outcome.entities) owners.set(id, must(owners.get(id) ?? root));
  }
}

export const stolen = (id: string) =>
  new StepFailed(`it gave an entity the id '${id}', which belongs to another entity`, {
    hint: "Let the id of what is added begin with the entity's own id, and go on with something that no other id has.",
  });
