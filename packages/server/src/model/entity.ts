/** What a source emits: one document-like record, before it is cut into chunks. */

export interface Entity {
  /** Stable identifier inside the source. The same record must always get the same one. */
  readonly id: string;
  /** Of what kind it is: the name of its entity definition, or what the source calls it, such as its table. */
  readonly type: string;
  readonly name: string;
  /** The searchable body, in Markdown. Empty when `file` carries the content. */
  readonly text: string;
  /** Offsets in `text` at which the pages of a paged document begin; absent without pages. */
  readonly pages?: readonly number[] | undefined;
  readonly url?: string | undefined;
  /** From the root to the parent. */
  readonly breadcrumbs?: readonly Breadcrumb[] | undefined;
  readonly createdAt?: Date | undefined;
  readonly updatedAt?: Date | undefined;
  /** Who may find it. Absent means everyone who may search the collection. */
  readonly access?: Access | undefined;
  /** Source-specific fields: JSON values, dates as ISO 8601. Shown and filterable as `metadata`. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Stands above the headings of every chunk: it is embedded, indexed and shown with them. */
  readonly context?: string | undefined;
  /** A local file whose text is extracted by the pipeline. */
  readonly file?: FileRef | undefined;
}

export interface Breadcrumb {
  readonly id: string;
  readonly name: string;
  readonly type: string;
}

/** `viewers` holds `user:…` and `group:…`; null means that the source restricts nobody. */
export interface Access {
  readonly viewers: readonly string[] | null;
  readonly isPublic: boolean;
}

export interface FileRef {
  /** Absolute path on this machine. */
  readonly path: string;
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** Device and inode: only the file that was looked at may be read, whatever the path leads to now. */
  readonly inode: string;
  /** The connection names this file, so that it is read even if it is a secret as a whole. */
  readonly isNamed?: boolean;
}
