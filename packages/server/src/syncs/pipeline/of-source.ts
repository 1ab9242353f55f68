import { SourceError } from '../../errors.ts';
import type { Source, SourceContext } from '../../sources/define.ts';
import type { LeftOut, Stub, Upsert } from '../../sources/items.ts';

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

export async function* asynchronously<T>(items: Iterable<T>): AsyncGenerator<T, void, void> {
  yield* items;
}
