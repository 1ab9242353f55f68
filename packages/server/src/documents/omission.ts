/**
 * An omission says why a file is left out. Jobs count the files by `reason`, so the reason is one of a few fixed
 * phrases.
 */
export interface Omission {
  readonly reason: string;
  /** The detail concerns this file only, such as its size. */
  readonly detail?: string;
  /** This tells people what they can do to have the text indexed. */
  readonly hint?: string;
}
