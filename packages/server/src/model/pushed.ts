/** This is the form of pushed entities. Transformers get and return entities in the same form. */
import { z } from 'zod';
import { fitsAsId, isNestedDeeper, MAX_ID_BYTES, MAX_NESTING } from './entity-limits.ts';
import { isStorable } from './storable.ts';

export const MAX_PUSHED = 1000;
export const MAX_PUSH_BYTES = 10 * 1024 * 1024;
/** A file is stored in one row until its job has ended, and the row is written in one piece. */
export const MAX_PUSHED_FILE_BYTES = 25 * 1024 * 1024;

const STORABLE = 'use no NUL characters and no unpaired surrogates';
const id = z.string().min(1).max(1024).refine(isStorable, STORABLE);

export const PushedEntity = z
  .strictObject({
    entity_id: id
      .refine(fitsAsId, `use at most ${MAX_ID_BYTES} bytes of UTF-8`)
      .describe('Identifier of the record in its source, at most 2,048 bytes of UTF-8.'),
    name: z.string().min(1).max(1024),
    text: z.string(),
    entity_type: z
      .string()
      .min(1)
      .max(128)
      // Counts by type are JSON objects with the type as a key, and our JSON parser refuses this key.
      .refine((type) => type !== '__proto__', 'use another name')
      .refine(isStorable, STORABLE)
      .optional()
      .describe('Type of the entity; PushedEntity when omitted.'),
    // Clients show the URL as a link, so URLs that run code in a browser are refused.
    url: z.url({ protocol: /^(?!(?:javascript|data|vbscript)$)/ }).optional(),
    breadcrumbs: z
      .array(z.strictObject({ entity_id: z.string(), name: z.string(), entity_type: z.string() }))
      .max(100)
      .optional()
      .describe('Ancestors from the root to the parent.'),
    created_at: z.iso.datetime({ offset: true }).optional(),
    updated_at: z.iso.datetime({ offset: true }).optional(),
    metadata: z
      .record(z.string(), z.unknown())
      .refine((fields) => !isNestedDeeper(fields, MAX_NESTING), `nest at most ${MAX_NESTING} deep`)
      .optional()
      .describe('Further fields, nested at most 100 deep.'),
    access: z
      .strictObject({
        viewers: z
          .array(
            z
              .string()
              .regex(/^(user|group):.+$/)
              .refine(isStorable, STORABLE),
          )
          .nullable(),
        is_public: z.boolean(),
      })
      .optional(),
  })
  .meta({ id: 'PushedEntity' });

export const Push = z
  .strictObject({
    entities: z.array(PushedEntity).default([]),
    delete: z.array(id).default([]),
  })
  .meta({ id: 'Push' });
export type Push = z.infer<typeof Push>;

/** The text of the only entity of a push is extracted of this file. */
export interface PushedFile {
  readonly name: string;
  readonly content: Uint8Array;
}

/** This is a push as it came. */
export interface SentPush {
  /** This is the body, or for a form its part `entity`, which may be missing. It is JSON that nobody has read. */
  readonly json: Uint8Array | undefined;
  /** This is the file of a form. */
  readonly file: PushedFile | null;
}

/** A push is stored in this form until its job has ended. */
export interface StoredPush {
  /** This is the push as JSON, compressed by gzip. */
  readonly body: Uint8Array;
  readonly file: PushedFile | null;
}
