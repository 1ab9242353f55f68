/** A listing holds what a pull has said about the partitions of its source. */
export interface Listing {
  /** These were listed to the end. */
  readonly listed: ReadonlySet<string>;
  /** A record has mentioned these. */
  readonly met: ReadonlySet<string>;
  /** These could not be listed. */
  readonly lost: ReadonlySet<string>;
}

export const emptyListing = () => ({
  listed: new Set<string>(),
  met: new Set<string>(),
  lost: new Set<string>(),
});
