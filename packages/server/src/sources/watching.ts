/** A source may tell of changes as they happen, so that its syncs need not wait for their schedule. */
import type { WatchState } from '../model/watch-state.ts';
import type { SourceEnvironment } from './define.ts';

export interface SourceWatching<Config> {
  /** Returns false when the configuration says that the connection is not watched. */
  isWanted(config: Config): boolean;
  /** Starts nothing before the first call of `renew`. */
  open(ctx: WatchContext<Config>): SourceWatch;
}

export interface WatchContext<Config> extends Pick<SourceEnvironment, 'allowPath' | 'ownFiles'> {
  readonly config: Config;
  /** The source calls this function when a sync may find a change in the partition. */
  readonly changed: (partition: string) => void;
  /** All watches of the process share this budget. */
  readonly budget: WatchBudget;
  /** This is the `device` of an earlier report, or null. */
  readonly device: string | null;
}

/** A watch takes from the budget before it asks the system for a handle. */
export interface WatchBudget {
  /** Returns false when nothing is left. */
  take(): boolean;
  giveBack(): void;
}

export interface WatchReport {
  readonly state: WatchState;
  /** Says to people why the state is not `watching`; null when it is. */
  readonly message: string | null;
  /** Names the device that had something to watch the last time; null when it is not known. */
  readonly device: string | null;
}

export interface SourceWatch {
  /**
   * Brings the watch in line with the source. A sync that begins to read afterwards, together with the later calls of
   * `changed`, misses nothing while the state is `watching`.
   */
  renew(): Promise<WatchReport>;
  /** Resolves false when `renew` would find another place than before, or none. */
  isInPlace(): Promise<boolean>;
  close(): void;
}
