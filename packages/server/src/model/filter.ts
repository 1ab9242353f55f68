/**
 * All filter languages of the API are translated to this form. Search engines implement only this form.
 *
 * A missing field satisfies only `null` and `empty`. So a `not` around any other condition matches a missing field. A
 * condition on a list is true if it is true for one of its elements.
 */
export type Filter =
  | { readonly all: readonly Filter[] }
  | { readonly any: readonly Filter[]; readonly atLeast: number }
  | { readonly not: Filter }
  /** An element of the list at `path` must satisfy the filter. The paths of that filter are relative to the element. */
  | { readonly some: Filter; readonly path: readonly string[] }
  /** These are ids of chunks, or ids that entities have in their source. */
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

/** Bounds are numbers or instants (instant.ts). An instant is compared only with texts that are instants too. */
export interface Range {
  readonly gt?: number | string;
  readonly gte?: number | string;
  readonly lt?: number | string;
  readonly lte?: number | string;
}

export type Scalar = string | number | boolean;

export const everything: Filter = { all: [] };

/**
 * A path begins with one of these keys. After `metadata` follows a path inside the fields of the source; after
 * `breadcrumbs` follows entity_id, name or entity_type.
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
 * This limit is in bytes of UTF-8. It is greater than the longest key of a filter, and less than the longest index
 * entry of PostgreSQL.
 */
const LONGEST_NAME = 500;

/**
 * Returns true when a filter can name this field of a source. A field with a dot in its name cannot be named, because a
 * dot separates the parts of a path.
 */
export const isNameable = (field: string): boolean =>
  field !== '' && !field.includes('.') && Buffer.byteLength(field) <= LONGEST_NAME;
