/** A step is one transformer of a connection, ready to run. */
import type { Entity } from '../model/entity.ts';
import { storableText } from '../model/storable.ts';

export interface TransformStep {
  readonly id: string;
  readonly name: string;
  /**
   * The digest covers all that decides what the step makes of an entity: its code as far as it
   * is known, and its configuration.
   */
  readonly digest: string;
  /** Tells whether the step acts on entities of the definition with this id. */
  readonly takes: (definition: string) => boolean;
  /** The step may make entities of the definitions with these ids, besides those that it leaves as they are. */
  readonly given: readonly string[];
  readonly run: RunStep;
}

/**
 * Returns what becomes of the entities, each with the entity from which it was made. Throws StepFailed, which
 * concerns all entities of the call.
 */
export type RunStep = (entities: readonly Entity[], signal: AbortSignal) => Promise<Results>;

/** The keys are the ids of the entities that went in. An entity without a result was dropped. */
export type Results = ReadonlyMap<string, readonly Entity[] | StepFailed>;

/**
 * The error tells people what a transformer cannot do. The message is stored with jobs, so it loses the characters
 * that a database cannot store: a function may throw anything.
 */
export class StepFailed extends Error {
  override readonly name = 'StepFailed';
  readonly hint: string;
  /** The failure has cost a process, or all the time that a call may take. */
  readonly isCostly: boolean;
  /** The failure concerns all entities, so it is useless to try them one by one. */
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
