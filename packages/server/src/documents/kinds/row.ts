/** This is what a row of the table of kinds says about a kind of files. */
export interface KindRow {
  /** This names the kind for people. */
  readonly what: string;
  /** These are the extensions without dots. */
  readonly extensions: string;
  /**
   * Returns true when a file that is not of a kind by its name is of this kind. `beginning` has the first bytes of the
   * file, as a text in which the ASCII characters are right; `extension` has its dot, or is empty.
   */
  readonly recognizes?: (beginning: string, extension: string) => boolean;
  /** This is what is read, for people. */
  readonly reads: string;
  /** These are the libraries that read it. */
  readonly by: string;
  /** Larger files are left out. */
  readonly largestMb: number;
  /**
   * The version of the converter is stored with each record. After a change of the version, the next full sync converts
   * the files of this kind again, and no others.
   */
  readonly version: number;
  /** If true, the converter reads the name of the file, so two files with the same content may have different texts. */
  readonly readsName?: boolean;
  /**
   * The kind is optional: it is read only where the operator has set up what it needs. This tells people what that is.
   * `largestMb` is then the most that an installation can allow.
   */
  readonly needs?: string;
}
