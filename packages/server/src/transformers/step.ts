/** One transformer of a connection, ready to run. */
import type { Entity } from '../model/entity.ts';
import { storableText } from '../model/storable.ts';

export interface TransformStep {
  readonly id: string;
  readonly name: string;
  /** Of everything that decides what it makes of an entity: its code as far as it is known, and its configuration. */
  readonly digest: string;
  /** Whether it acts on entities of this definition, by its id. */
  readonly takes: (definition: string) => boolean;
  /** Ids of definitions of which it may make entities, besides those that it leaves as they are. */
  readonly given: readonly string[];
  readonly run: RunStep;
}

/**
 * Gives what becomes of the entities, each with the entity of which it was made. Throws StepFailed, which
 * concerns all of them.
 */
export type RunStep = (entities: readonly Entity[], signal: AbortSignal) => Promise<Results>;

/** By id of what went in. What is not there was dropped. */
export type Results = ReadonlyMap<string, readonly Entity[] | StepFailed>;

/**
 * What a transformer cannot do, in words for people. The message is kept with jobs, so it loses what no
 * database stores: a function may throw anything.
 */
export class StepFailed extends Error {
  override readonly name = 'StepFailed';
  readonly hint: string;
  /** It has cost a process, or all the time that there was. */
  readonly isCostly: boolean;
  /** So it is for all entities: there is no use in trying them one by one. */
  readonly isForAll: boolean;

  constructor(
    message: string,
    about: { readonly hint: string; readonly isCostly?: boolean; readonly isForAll?: boolean },
  ) {
    super(storableText(message));
    this.hint = about.hint;
    this.isCostly = about.isCostly ?? false;
    this.isForAll = about.isForAll ?? false;
  }
}
