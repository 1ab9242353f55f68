/** An entity is one record of a source in the form of a document, before it is split into chunks. */

export interface Entity {
  /** This identifies the record in its source. The same record must always have the same id. */
  readonly id: string;
  /** This is the name of the entity definition, or the source's own name for this kind of record, such as its table. */
  readonly type: string;
  readonly name: string;
  /** This is the searchable body, in Markdown. `html` or `file` may have the content instead. */
  readonly text: string;
  /** If true, a converter has written the text, so it is Markdown whatever the name says. */
  readonly isMarkdown?: boolean | undefined;
  /** These are the offsets in `text` at which the pages of the document begin. */
  readonly pages?: readonly number[] | undefined;
  /** These name what begins at each offset of `pages`, as `slide 3`. Without them, `pages` are pages. */
  readonly places?: readonly string[] | undefined;
  readonly url?: string | undefined;
  /** These are the ancestors of the record, from the root to the parent. */
  readonly breadcrumbs?: readonly Breadcrumb[] | undefined;
  readonly createdAt?: Date | undefined;
  readonly updatedAt?: Date | undefined;
  /** This says who may find the entity. Without it, everyone who may search the collection may find the entity. */
  readonly access?: Access | undefined;
  /**
   * These are the fields of the source: JSON values, with dates in ISO 8601. Searches return them as `metadata`, and
   * can filter by them.
   */
  readonly fields: Readonly<Record<string, unknown>>;
  /**
   * The file of the record says this about itself; `fields` have it where the source does not say the same. It is kept
   * apart, because another record with the same file must not get the fields of this one.
   */
  readonly about?: Readonly<Record<string, string>> | undefined;
  /** This text stands above the headings of every chunk. It is embedded, indexed and shown with the chunk. */
  readonly context?: string | undefined;
  /** The pipeline extracts the text of this HTML, which is the content of the record instead of `text`. */
  readonly html?: string | undefined;
  /** The pipeline extracts the text of this local file. */
  readonly file?: FileRef | undefined;
  /**
   * These were found inside of the file of the record, such as the attachments of a mail. They have none inside
   * themselves. Each becomes an entity of its own, which lives and dies with the record.
   */
  readonly inside?: readonly Entity[] | undefined;
}

export interface Breadcrumb {
  readonly id: string;
  readonly name: string;
  readonly type: string;
}

/**
 * `viewers` lists principals (`user:…`, `group:…`); null means that the source does not restrict who may find the entity.
 */
export interface Access {
  readonly viewers: readonly string[] | null;
  readonly isPublic: boolean;
}

export interface FileRef {
  /** This is an absolute path on this machine. */
  readonly path: string;
  readonly name: string;
  /** This is the size in bytes. */
  readonly size: number;
  /**
   * These are the device and inode of the checked file. Only this file is read, even if the path leads to another file
   * meanwhile.
   */
  readonly inode: string;
  /**
   * If true, the configuration of the connection names this file explicitly, so it is read even if the whole file is a
   * secret.
   */
  readonly isNamed?: boolean;
  /** If true, the file was downloaded only for this entity, and is removed after its text is extracted. */
  readonly isTemporary?: boolean;
}
