/**
 * Checks the entities that a function has returned, and assigns each to the input entity from which it was made. The
 * function is code that is not ours, so nothing that it returns is used unchecked.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Entity } from '../model/entity.ts';
import { canonicalJson } from '../model/hash.ts';
import { PushedEntity } from '../model/pushed.ts';
import { fromPushed, type Pushed, toPushed } from './push-form.ts';
import { type Results, StepFailed } from './step.ts';

/** An entity may have this many characters of text. */
const MAX_TEXT = 10_000_000;
/** A function may make this many entities from one entity. */
const MAX_MADE = 1000;
const SHOWN_CHARACTERS = 200;

export interface OutputRules {
  /** Tells whether the transformer may return entities of this type. */
  readonly mayReturn: (type: string) => boolean;
  /** Says what is wrong with the fields of an entity of this type, or null when nothing is wrong. */
  readonly faultOf: (type: string, fields: Readonly<Record<string, unknown>>) => string | null;
}

/** Throws StepFailed when it is not clear from which input a returned entity was made. */
export function resultsOf(
  inputs: readonly Entity[],
  returned: readonly unknown[],
  rules: OutputRules,
): Results {
  const byId = new Map(inputs.map((input) => [input.id, input]));
  const results = new Map<string, Entity[] | StepFailed>();
  for (const value of returned) {
    const input = originOf(idOf(value), byId, inputs);
    const made = results.get(input.id) ?? [];
    if (made instanceof StepFailed) continue;
    const one = entityOf(value, input, rules);
    if (one instanceof StepFailed) results.set(input.id, one);
    else if (made.some(({ id }) => id === one.id))
      // Each of the two entities may be made from another input. The caller repeats the call with each input alone, so
      // that the origin of each entity is clear.
      throw invalidOutput(`it returned the entity '${shortened(one.id)}' twice`);
    else if (made.length >= MAX_MADE)
      results.set(input.id, invalidOutput(`it made more than ${MAX_MADE} entities from one`));
    else {
      made.push(one);
      results.set(input.id, made);
    }
  }
  return results;
}

function idOf(value: unknown): string {
  const id =
    value !== null && typeof value === 'object' && 'entity_id' in value ? value.entity_id : null;
  if (typeof id !== 'string') throw invalidOutput('it returned something without an entity_id');
  return id;
}

/** Returns the input with the same id. If there is none, returns the input whose id is the longest prefix of this id. */
function originOf(
  id: string,
  byId: ReadonlyMap<string, Entity>,
  inputs: readonly Entity[],
): Entity {
  let found = byId.get(id);
  if (found) return found;
  for (const input of inputs)
    if (id.startsWith(input.id) && input.id.length > (found?.id.length ?? -1)) found = input;
  if (!found)
    throw invalidOutput(
      `it returned the entity '${shortened(id)}', whose id does not begin with the id of an entity that it was given`,
    );
  return found;
}

/** Returns the input itself when it came back unchanged. */
function entityOf(value: unknown, input: Entity, rules: OutputRules): Entity | StepFailed {
  const before: Pushed = toPushed(input);
  if (rules.mayReturn(input.type) && isSameEntity(value, before)) return input;
  const parsed = PushedEntity.safeParse({ entity_type: input.type, ...(value as object) });
  // The transformer does not have to correct a value that the source itself gave.
  const issue = parsed.error?.issues.find(
    ({ path: [field] }) => !isUnchanged(value, before, field),
  );
  if (issue)
    return invalidOutput(`'${issue.path.join('.')}' of what it returned: ${issue.message}`);
  const pushed = { entity_type: input.type, ...(value as object) } as Pushed;
  const given = fromPushed(pushed);
  // A function that returns no access must not show a restricted text to everybody.
  const made = given.access ? given : { ...given, access: input.access };
  if (!rules.mayReturn(made.type))
    return invalidOutput(
      `it returned an entity of the type '${shortened(made.type)}', which is not in its output definitions`,
    );
  if (made.text.length > MAX_TEXT)
    return invalidOutput(
      `it returned a text of more than ${MAX_TEXT / 1_000_000} million characters`,
    );
  if (made.type !== input.type || !isUnchanged(value, before, 'metadata')) {
    const fault = rules.faultOf(made.type, made.fields);
    if (fault !== null) return invalidOutput(`the metadata of what it returned: ${fault}`);
  }
  if (made.id !== input.id) return made;
  // The form of a push has no field for these values, so they are taken from the input.
  return {
    ...made,
    ...(input.context !== undefined && { context: input.context }),
    ...(input.isMarkdown && { isMarkdown: true }),
    ...(made.text === input.text && placesOf(input)),
  };
}

const placesOf = ({ pages, places }: Entity) => ({
  ...(pages && { pages }),
  ...(places && { places }),
});

/**
 * Most entities come back unchanged, so the faster comparison comes first: isDeepStrictEqual takes a fifth of the time
 * of writing JSON.
 */
const isSameEntity = (value: unknown, before: Pushed): boolean =>
  isDeepStrictEqual(value, before) || JSON.stringify(value) === JSON.stringify(before);

function isUnchanged(value: unknown, before: Pushed, field: PropertyKey | undefined): boolean {
  if (typeof field !== 'string' || !Object.hasOwn(before, field)) return false;
  const now = (value as Record<string, unknown>)[field];
  return canonicalJson(now) === canonicalJson(before[field as keyof Pushed]);
}

const shortened = (text: string) =>
  text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;

const invalidOutput = (message: string) =>
  new StepFailed(message, {
    hint: 'Try it with quarry transformers test; docs/transformers.md says what a function may return.',
  });
