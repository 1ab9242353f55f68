/** A source emits entities: each is one record in the form of a document, before it is cut into chunks. */

export interface Entity {
  /** The identifier is stable inside the source: the same record must always get the same one. */
  readonly id: string;
  /**
   * The type is the name of the entity definition, or what the source calls this kind of record, such as its
   * table.
   */
  readonly type: string;
  readonly name: string;
  /** This is the searchable body, in Markdown. It is empty when `file` carries the content. */
  readonly text: string;
  /** The pages of a paged document begin at these offsets in `text`; a document without pages has none. */
  readonly pages?: readonly number[] | undefined;
  readonly url?: string | undefined;
  /** The breadcrumbs lead from the root to the parent. */
  readonly breadcrumbs?: readonly Breadcrumb[] | undefined;
  readonly createdAt?: Date | undefined;
  readonly updatedAt?: Date | undefined;
  /** These principals may find the entity. Without it, every caller that may search the collection may. */
  readonly access?: Access | undefined;
  /**
   * These are the fields of the source: JSON values, with dates in ISO 8601. A search shows them, and filters
   * by them, as `metadata`.
   */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The context stands above the headings of every chunk: it is embedded, indexed and shown with them. */
  readonly context?: string | undefined;
  /** The pipeline extracts the text of this local file. */
  readonly file?: FileRef | undefined;
}

export interface Breadcrumb {
  readonly id: string;
  readonly name: string;
  readonly type: string;
}

/**
 * `viewers` holds `user:…` and `group:…`; null means that the source does not restrict who may find the entity.
 */
export interface Access {
  readonly viewers: readonly string[] | null;
  readonly isPublic: boolean;
}

export interface FileRef {
  /** The path is absolute on this machine. */
  readonly path: string;
  readonly name: string;
  /** The size is in bytes. */
  readonly size: number;
  /**
   * The device and inode make sure that only the file that was checked is read, even if the path now leads to
   * another one.
   */
  readonly inode: string;
  /** The connection names this file, so it is read even if the whole file is a secret. */
  readonly isNamed?: boolean;
}
