/** An omission says why a file is left out. Jobs count by the reason, so it is one of a few fixed phrases. */
export interface Omission {
  readonly reason: string;
  /** The detail concerns this file alone. */
  readonly detail?: string;
  /** The hint tells a person what to do about it. */
  readonly hint?: string;
}
