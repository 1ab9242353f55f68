/** A step is one transformer of a connection, ready to run. */
import type { Entity } from '../model/entity.ts';
import { storableText } from '../model/storable.ts';

export interface TransformStep {
  readonly id: string;
  readonly name: string;
  /**
   * This is a hash of everything that decides the result of the step: its configuration and its code, without the
   * modules that the code imports.
   */
  readonly digest: string;
  /** Tells whether the step acts on entities of the definition with this id. */
  readonly accepts: (definition: string) => boolean;
  /** The step may return entities of the definitions with these ids. */
  readonly outputDefinitions: readonly string[];
  readonly run: RunStep;
}

/** Returns the results of each input entity. Throws StepFailed when the failure concerns all entities of the call. */
export type RunStep = (entities: readonly Entity[], signal: AbortSignal) => Promise<Results>;

/** The keys are the ids of the input entities. An input without a result was dropped. */
export type Results = ReadonlyMap<string, readonly Entity[] | StepFailed>;

/**
 * This error tells people why a transformer failed. The message is stored with the job. It may come from a function, so
 * characters that a database cannot store are removed.
 */
export class StepFailed extends Error {
  override readonly name = 'StepFailed';
  readonly hint: string;
  /** If true, the failure ended the process or took all the time that a call may take. */
  readonly isCostly: boolean;
  /** If true, the failure concerns every entity, so the caller does not try the entities one by one. */
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
