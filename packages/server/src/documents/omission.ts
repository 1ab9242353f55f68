/** Why a file is left out. Jobs count by the reason, so it is one of a few fixed phrases. */
export interface Omission {
  readonly reason: string;
  /** What is of this file alone. */
  readonly detail?: string;
  /** What one can do about it. */
  readonly hint?: string;
}
