/**
 * Passes what a source yields to the pipeline. Errors of the source are marked as such, and its groups get names that
 * no other source has.
 */
import { SourceError } from '../../errors.ts';
import type { Source, SourceContext } from '../../sources/define.ts';
import type { BelowList, LeftOut, Stub, Upsert } from '../../sources/items.ts';
import { type ScopeGroup, scopeOfGroups } from './scope-groups.ts';

/** Wraps errors that a source should not throw, because none of them may look like an error of our own database. */
export async function* ofSource<T>(items: AsyncIterable<T>): AsyncGenerator<T, void, void> {
  try {
    yield* items;
  } catch (error) {
    if (error instanceof SourceError) throw error;
    throw new Error('the source broke', { cause: error });
  }
}

export function hydrate(
  source: Source,
  context: SourceContext<unknown, unknown>,
  stubs: readonly Stub[],
): AsyncIterable<Upsert | LeftOut> {
  if (!source.hydrate) throw new Error(`${source.shortName} emits stubs and cannot hydrate them`);
  return source.hydrate(context, stubs);
}

export function below(
  source: Source,
  context: SourceContext<unknown, unknown>,
  stubs: readonly Stub[],
): AsyncIterable<BelowList | LeftOut> {
  if (!source.below)
    throw new Error(`${source.shortName} names records with others below, and cannot list these`);
  return source.below(context, stubs);
}

export async function* asynchronously<T>(items: Iterable<T>): AsyncGenerator<T, void, void> {
  yield* items;
}

/**
 * Returns a function that returns how the source's groups are renamed (scope-groups.ts). It asks the source for its
 * account only once. A cloud source that names groups must know its account; groups of other sources keep their names.
 */
export function groupScopeOf(
  source: Source,
  context: SourceContext<unknown, unknown>,
): () => Promise<ScopeGroup> {
  let scope: Promise<ScopeGroup> | undefined;
  const ask = async (): Promise<ScopeGroup> => {
    if (!source.api) return (principal) => principal;
    if (!source.groupScope)
      throw new Error(
        `${source.shortName} names groups and does not say to which account they belong`,
      );
    return scopeOfGroups(source.shortName, await source.groupScope(context));
  };
  return () => {
    scope ??= ask();
    return scope;
  };
}
