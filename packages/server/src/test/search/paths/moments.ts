/** Makes commits happen during a request, at its awaits. */
import type { KyselyPlugin } from 'kysely';
import type { Library } from '../library.ts';
import type { CommitDraw } from './draws.ts';
import type { World } from './world.ts';

export interface Moment {
  /** The commit happens at the await with this number, or while a source or a model is asked. */
  readonly at: number | 'source' | 'model';
  readonly commit: CommitDraw;
}

/** Marks a moment in which a commit may happen. */
export type Pause = (where?: 'source' | 'model') => Promise<void>;

export function pauseWith(world: World, moments: readonly Moment[]): Pause {
  const waiting = new Set(moments);
  let count = 0;
  let last = Promise.resolve();
  return (where) => {
    for (const moment of waiting)
      if (moment.at === count || moment.at === where) {
        waiting.delete(moment);
        last = last.then(() => world.commit(moment.commit));
      }
    count++;
    return last;
  };
}

/**
 * Returns the database, changed so that commits may happen after each statement. `pausesAtRows` is false where a
 * statement holds the only connection to the database, because a commit would wait for that connection for ever.
 */
export function paused(library: Library, pause: Pause, pausesAtRows: boolean) {
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      await pause();
      return result;
    },
  };
  return pausesAtRows ? library.db.withPlugin(plugin) : library.db;
}
