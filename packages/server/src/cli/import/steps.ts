/** The steps of an import: what becomes of each collection, source connection and webhook. */

/** The thing is described in the words of Quarry. */
export type ImportedThing =
  | { readonly kind: 'collection'; readonly readable_id: string; readonly name: string }
  | {
      readonly kind: 'source_connection';
      readonly name: string;
      readonly short_name: string;
      readonly readable_collection_id: string;
    }
  | { readonly kind: 'webhook'; readonly url: string; readonly event_types: readonly string[] };

interface AnyStep {
  readonly thing: ImportedThing;
  /** Sentences that a person should know: what is different in Quarry, or why nothing is made. */
  readonly notes: readonly string[];
}

export interface StepToMake extends AnyStep {
  readonly action: 'make';
  /** Quarry makes the thing when it gets this body here. */
  readonly path: string;
  readonly body: unknown;
}

interface StepThatExists extends AnyStep {
  readonly action: 'exists';
  readonly found: MadeAnswer;
}

interface StepByHand extends AnyStep {
  readonly action: 'by_hand';
  /** A person makes the thing with this command, and gives it the secret. */
  readonly command: string;
}

interface ImpossibleStep extends AnyStep {
  readonly action: 'impossible';
}

export type ImportStep = StepToMake | StepThatExists | StepByHand | ImpossibleStep;

/** These are the parts of an answer of Quarry that say what a person has to do next. */
export interface MadeAnswer {
  readonly id?: string;
  readonly readable_collection_id?: string;
  readonly auth?: { readonly authenticated: boolean };
}

/** Counts things by their identity, so that a second one like it is not taken for the first. */
export function countOf<T>(things: readonly T[], identityOf: (thing: T) => string) {
  const left = Map.groupBy(things, identityOf);
  return {
    /** Returns a thing with this identity that was not taken yet. */
    take: (identity: string): T | undefined => left.get(identity)?.shift(),
  };
}
