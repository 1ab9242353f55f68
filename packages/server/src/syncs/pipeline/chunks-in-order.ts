/**
 * Makes the chunks of several groups of entities, and returns them in the order of the groups. This thread and further ones
 * share the work: each takes the next group that nobody has begun. So this thread commits the first groups while the others
 * make the chunks of later ones.
 */
import { must } from '../../util.ts';
import {
  type ChunkInput,
  type ChunkThreads,
  type MadeChunks,
  type MakeDeps,
  makeChunks,
} from './chunks.ts';

export interface ChunkDeps extends Required<MakeDeps> {
  /** Without further threads, this thread makes all chunks. */
  readonly chunkThreads?: ChunkThreads | undefined;
}

/** A further thread has a second group at hand when it has finished the first, so that it need not wait for this thread. */
const GROUPS_PER_THREAD = 2;

type GroupOutcome = { readonly made: MadeChunks } | { readonly error: unknown };

/**
 * Texts that an embedder of others has embedded before are not sent again. To look for a vector of the built-in one would
 * take longer than to compute it.
 */
export async function* chunksInOrder(
  groups: readonly (readonly ChunkInput[])[],
  { embedder, chunkThreads, knownVectors, signal }: ChunkDeps,
): AsyncGenerator<MadeChunks, void, void> {
  const deps = embedder.isBuiltIn ? { embedder, signal } : { embedder, knownVectors, signal };
  const most = embedder.isBuiltIn ? GROUPS_PER_THREAD * (chunkThreads?.count ?? 0) : 0;
  const outcomes: Promise<GroupOutcome>[] = [];
  const ready = new Set<number>();
  let away = 0;
  let isOver = false;

  /** Begins the next group. An error is kept for the turn of its group. */
  function begin(
    make: (group: readonly ChunkInput[]) => Promise<MadeChunks>,
  ): Promise<GroupOutcome> {
    const number = outcomes.length;
    const outcome = make(must(groups[number])).then(
      (made) => ({ made }),
      (error: unknown) => ({ error }),
    );
    outcomes.push(outcome.finally(() => ready.add(number)));
    return must(outcomes[number]);
  }

  const beginHere = () => begin((group) => makeChunks(group, deps));

  function beginAway(): void {
    // The last group is for this thread, which would have nothing to do otherwise.
    while (!isOver && away < most && outcomes.length < groups.length - 1) {
      away++;
      void begin((group) => must(chunkThreads).make(group, signal)).then(() => {
        away--;
        beginAway();
      });
    }
  }

  try {
    for (let number = 0; number < groups.length; number++) {
      beginAway();
      while (!ready.has(number) && outcomes.length < groups.length) await beginHere();
      const outcome = await must(outcomes[number]);
      if ('error' in outcome) throw outcome.error;
      yield outcome.made;
    }
  } finally {
    // A caller that could not store the chunks takes no more of them.
    isOver = true;
  }
}
