/** These are the wire shapes for reading what was synced into a collection without a search. */
import { z } from 'zod';
import { limitOf, Skip } from '../../http/lists.ts';
import { SearchBody } from '../../search/schema.ts';

const MAX_PATTERN = 500;

const walkParams = {
  after: z.string().optional().describe('Value of `next` of the previous page.'),
  entity_type: z.string().optional(),
  source_name: z.string().optional(),
};

export const CollectionContents = z
  .object({
    readable_id: z.string(),
    name: z.string(),
    status: z.string(),
    source_names: z.array(z.string()),
    entity_types: z
      .array(
        z.object({
          entity_type: z.string(),
          count: z
            .int()
            .nullable()
            .describe('Number of entities, or null when the caller may see only some of them.'),
        }),
      )
      .describe('Types that have entities, with the number of their entities.'),
    metadata_fields: z
      .array(z.string())
      .describe(
        'Fields of the source that the entities have, as a filter names them; 10,000 at most. A person gets the fields of all records that everyone may see. Of the other records, a person gets the fields of the latest 50 in each connection that this person may see. A filter may also name fields that are missing here.',
      ),
  })
  .meta({ id: 'CollectionContents' });
export type CollectionContents = z.infer<typeof CollectionContents>;

export const ContentItem = z
  .object({
    id: z.string().describe('Identifier of the record, unique within the collection.'),
    entity_id: z.string().describe('The identifier in the source.'),
    name: z.string(),
    entity_type: z.string(),
    source_name: z.string(),
    breadcrumbs: z.array(z.string()).describe('Names from the root to the parent.'),
    url: z.string(),
    updated_at: z.string().nullable(),
  })
  .meta({ id: 'ContentItem' });
export type ContentItem = z.infer<typeof ContentItem>;

export const ListQuery = z.object({
  ...walkParams,
  name: z.string().optional().describe('A part of the name. Upper and lower case do not matter.'),
  limit: limitOf(1000),
});
export type ListQuery = z.infer<typeof ListQuery>;

const next = z
  .string()
  .nullable()
  .describe(
    'Give this value as `after` to get the next page; it is null on the last page. A page ends after two seconds, even when it is not full.',
  );

export const ListAnswer = z.object({ items: z.array(ContentItem), next });
export type ListAnswer = z.infer<typeof ListAnswer>;

export const ReadQuery = z.object({
  id: z
    .string()
    .describe('The id of an item, or an entity_id of a search result or of the source.'),
  from: Skip.describe('Position of the first chunk.'),
  limit: limitOf(200),
});
export type ReadQuery = z.infer<typeof ReadQuery>;

export const ContentDocument = ContentItem.extend({
  metadata: z.record(z.string(), z.unknown()).describe('Fields of the source.'),
  total_chunks: z.int(),
  chunks: z.array(
    z.object({
      position: z.int(),
      heading: z.string().nullable(),
      page: z.int().nullable(),
      text: z.string(),
    }),
  ),
}).meta({ id: 'ContentDocument' });
export type ContentDocument = z.infer<typeof ContentDocument>;

export const GrepBody = z.strictObject({
  ...walkParams,
  pattern: z.string().min(1).max(MAX_PATTERN).describe('A regular expression of RE2.'),
  ignore_case: z.boolean().default(false),
  filter: SearchBody.shape.filter,
  limit: z
    .int()
    .min(1)
    .max(1000)
    .default(100)
    .describe(
      'Number of lines after which the page ends. The page completes the chunk of the last line.',
    ),
});
export type GrepBody = z.infer<typeof GrepBody>;

export const GrepAnswer = z.object({
  records: z
    .array(
      ContentItem.extend({
        lines: z.array(
          z.object({
            position: z.int().describe('Position of the chunk that has the line.'),
            line: z.string().describe('The line. A long line is cut around the match.'),
          }),
        ),
      }),
    )
    .describe('Records with lines that match.'),
  searched: z.int().describe('Number of chunks that were searched.'),
  next,
});
export type GrepAnswer = z.infer<typeof GrepAnswer>;
