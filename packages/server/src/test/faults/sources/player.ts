/** Plays histories of the companies in the fakes of all services. */
import { availableParallelism } from 'node:os';
import { must } from '../../../util.ts';
import type { Player } from '../pool.ts';

/** Seeds are played with the sources in turn. */
export interface PlayedSources {
  readonly sources: readonly string[];
  readonly databases: readonly string[];
}

export const sourceOf = ({ sources }: PlayedSources, seed: number): string =>
  must(sources[seed % sources.length]);

/** Seeds in a row are played on databases in turn, and a source is played on another one in the next round. */
export const databaseOf = ({ sources, databases }: PlayedSources, seed: number): string =>
  must(databases[((seed % sources.length) + Math.floor(seed / sources.length)) % databases.length]);

export const playerOf = (played: PlayedSources): Player => ({
  thread: new URL('./thread.ts', import.meta.url),
  data: played,
  // One thread more than there are cores keeps the cores busy while a thread waits for an answer.
  threads: availableParallelism() + 1,
  again: (seed) =>
    `faults -- --sources --source ${sourceOf(played, seed)} --database ${databaseOf(played, seed)} --seed ${seed}`,
});
