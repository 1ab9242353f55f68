/** A listing says which partitions of its source a pull has listed to the end, met, or lost. */
export interface Listing {
  /** The pull listed these partitions to the end. */
  readonly listed: ReadonlySet<string>;
  /** The pull met a record of each of these partitions. */
  readonly met: ReadonlySet<string>;
  /** The pull could not list these partitions. */
  readonly lost: ReadonlySet<string>;
}

export const emptyListing = () => ({
  listed: new Set<string>(),
  met: new Set<string>(),
  lost: new Set<string>(),
});
