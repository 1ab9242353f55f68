/**
 * The one form into which the filter languages of the API are compiled. Engines translate only this.
 *
 * A missing field satisfies `null` and `empty` and no other condition, so inside `not` it matches.
 * On a field that holds a list a condition holds if it holds for one of the elements.
 */
export type Filter =
  | { readonly all: readonly Filter[] }
  | { readonly any: readonly Filter[]; readonly atLeast: number }
  | { readonly not: Filter }
  /** One element of the list at `path` satisfies the filter, whose paths start at the element. */
  | { readonly some: Filter; readonly path: readonly string[] }
  /** Chunk ids or source ids. */
  | { readonly ids: readonly string[] }
  | Condition;

export type Condition = { readonly path: readonly string[] } & (
  | { readonly in: readonly Scalar[] }
  | { readonly notIn: readonly Scalar[] }
  /** The text contains this, exactly as written. */
  | { readonly text: string }
  | { readonly range: Range }
  | { readonly is: 'null' | 'empty' }
);

/** Bounds are numbers, or instants (instant.ts) compared with texts that are instants too. */
export interface Range {
  readonly gt?: number | string;
  readonly gte?: number | string;
  readonly lt?: number | string;
  readonly lte?: number | string;
}

export type Scalar = string | number | boolean;

export const everything: Filter = { all: [] };

/**
 * First segments of a path, for everything a chunk can be filtered by. `metadata` goes on with the
 * path inside the source's own fields, `breadcrumbs` with entity_id, name or entity_type.
 */
export const FIELDS = {
  entity_id: 'text', // the chunk's id
  original_entity_id: 'text',
  name: 'text',
  source_name: 'text',
  entity_type: 'text',
  sync_id: 'text',
  sync_job_id: 'text',
  chunk_index: 'number',
  created_at: 'instant',
  updated_at: 'instant',
  breadcrumbs: 'list',
  access: 'object', // access.is_public
  metadata: 'object',
} as const;

/** Of UTF-8: more than a key of a filter has room for, and less than an entry of a B-tree. */
const LONGEST_NAME = 500;

/** Whether a filter can name this field of a source: a dot in a key leads into a field. */
export const isNameable = (field: string): boolean =>
  field !== '' && !field.includes('.') && Buffer.byteLength(field) <= LONGEST_NAME;
