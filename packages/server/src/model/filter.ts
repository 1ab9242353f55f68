/**
 * All filter languages of the API are compiled into this one form. Engines translate only this form.
 *
 * A missing field satisfies `null` and `empty` and no other condition, so inside `not` it matches. On a field
 * that holds a list, a condition holds if it holds for one of the elements.
 */
export type Filter =
  | { readonly all: readonly Filter[] }
  | { readonly any: readonly Filter[]; readonly atLeast: number }
  | { readonly not: Filter }
  /** An element of the list at `path` satisfies the filter, whose paths start at the element. */
  | { readonly some: Filter; readonly path: readonly string[] }
  /** The ids are ids of chunks or ids of the source. */
  | { readonly ids: readonly string[] }
  | Condition;

export type Condition = { readonly path: readonly string[] } & (
  | { readonly in: readonly Scalar[] }
  | { readonly notIn: readonly Scalar[] }
  /** The value contains this text, exactly as written. */
  | { readonly text: string }
  | { readonly range: Range }
  | { readonly is: 'null' | 'empty' }
);

/** Bounds are numbers, or instants (instant.ts), which are compared with texts that are instants, too. */
export interface Range {
  readonly gt?: number | string;
  readonly gte?: number | string;
  readonly lt?: number | string;
  readonly lte?: number | string;
}

export type Scalar = string | number | boolean;

export const everything: Filter = { all: [] };

/**
 * These are the first segments of a path, for everything that a chunk can be filtered by. Behind `metadata`
 * comes a path inside the fields of the source, behind `breadcrumbs` comes entity_id, name or entity_type.
 */
export const FIELDS = {
  entity_id: 'text', // This is the id of the chunk.
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
  access: 'object', // Its only field is access.is_public.
  metadata: 'object',
} as const;

/**
 * The length counts bytes of UTF-8. It is more than a key of a filter has room for, and less than an entry of a
 * B-tree.
 */
const LONGEST_NAME = 500;

/** Tells whether a filter can name this field of a source: a dot in a key leads into a field. */
export const isNameable = (field: string): boolean =>
  field !== '' && !field.includes('.') && Buffer.byteLength(field) <= LONGEST_NAME;
