/** These are the forms in which a recording goes to a model that writes down what is spoken, and in which it comes back. */

export interface Recording {
  /** The extension of the name tells the model the format. */
  readonly name: string;
  /** This is the size in bytes. */
  readonly size: number;
  /** Reads the file from its beginning. It is called again for each attempt. Its errors are those of `Transcribe`. */
  read(): AsyncIterable<Uint8Array>;
}

export interface SpokenPassage {
  /** The passage begins after this many seconds. */
  readonly start: number;
  readonly text: string;
}

export interface Transcript {
  /** They are in the order of the recording. A model that knows no times gives one passage. */
  readonly passages: readonly SpokenPassage[];
  /** This is a language tag (BCP 47), such as `de`. */
  readonly language?: string;
}

/**
 * Throws a SourceError: 'skip' when the model refuses this recording or the file cannot be read, 'rate_limited' or 'transient' when it should be
 * asked later, and 'config' when it refuses the key or does not exist.
 */
export type Transcribe = (recording: Recording, signal: AbortSignal) => Promise<Transcript>;
