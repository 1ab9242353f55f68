/** These are the wire shapes for reading what was synced into a collection without a search. */
import { z } from 'zod';
import { limitOf, Skip } from '../../http/lists.ts';
import { PassageLine, PassagePlace, SearchBody } from '../../search/schema.ts';

const MAX_PATTERN = 500;

const walkParams = {
  after: z.string().optional().describe('Value of `next` of the previous page.'),
  entity_type: z.string().optional(),
  source_name: z.string().optional(),
};

const Crumb = z.object({
  id: z
    .string()
    .describe('The identifier in the source; `below` of the list and the tree takes it.'),
  name: z.string(),
  type: z.string(),
});

export const CollectionContents = z
  .object({
    readable_id: z.string(),
    name: z.string(),
    status: z.string(),
    source_names: z.array(z.string()),
    source_connections: z
      .array(
        z.object({
          id: z.uuid(),
          name: z.string(),
          source_name: z.string(),
          records: z
            .int()
            .nullable()
            .describe('Number of records, or null when the caller may see only some of them.'),
        }),
      )
      .describe(
        'Source connections with records, by name. Those that are searched live have none.',
      ),
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
    true_as_of: z.iso
      .datetime()
      .nullable()
      .describe(
        'As of when the record is true: `true_as_of` of its source connection. A record whose deletion is held back is older.',
      ),
  })
  .meta({ id: 'ContentItem' });
export type ContentItem = z.infer<typeof ContentItem>;

const Below = z
  .string()
  .max(2000)
  .optional()
  .describe('Id of a breadcrumb: only records at or below it, such as those of a folder.');

export const ListQuery = z.object({
  ...walkParams,
  source_connection_id: z.uuid().optional(),
  below: Below,
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

export const ListAnswer = z
  .object({ items: z.array(ContentItem), next })
  .meta({ id: 'ContentList' });
export type ListAnswer = z.infer<typeof ListAnswer>;

export const TreeQuery = z.object({
  source_connection_id: z.uuid(),
  below: Below,
  after: walkParams.after,
  limit: limitOf(1000),
});
export type TreeQuery = z.infer<typeof TreeQuery>;

export const TreeAnswer = z
  .object({
    path: z.array(Crumb).describe('Breadcrumbs from the root to `below`; empty without it.'),
    branches: z
      .array(
        Crumb.extend({ records: z.int().describe('Records below it that this page has met.') }),
      )
      .describe(
        'What is directly below, such as folders. A later page may have the same ones again.',
      ),
    items: z.array(ContentItem).describe('Records that are directly below.'),
    next,
  })
  .meta({ id: 'ContentTree' });
export type TreeAnswer = z.infer<typeof TreeAnswer>;

export const ReadQuery = z.object({
  id: z
    .string()
    .describe('The id of an item, or an entity_id of a search result or of the source.'),
  from: Skip.describe('Position of the first chunk.'),
  limit: limitOf(200),
});
export type ReadQuery = z.infer<typeof ReadQuery>;

export const ContentDocument = ContentItem.extend({
  entity_record_id: z
    .uuid()
    .describe('UUID of the record, as the routes below `/v1/entities` take it.'),
  source_connection_id: z.uuid(),
  source_connection_name: z.string(),
  sync_job_id: z.uuid().describe('Job that created or last changed the record.'),
  first_written_at: z.iso.datetime().describe('When the record first came here.'),
  last_written_at: z.iso.datetime().describe('When it last changed here.'),
  metadata: z.record(z.string(), z.unknown()).describe('Fields of the source.'),
  total_chunks: z.int(),
  chunks: z.array(
    z.object({
      position: z.int(),
      heading: z.string().nullable(),
      page: z.int().nullable(),
      place: PassagePlace,
      line: PassageLine,
      text: z.string(),
    }),
  ),
}).meta({ id: 'ContentDocument' });
export type ContentDocument = z.infer<typeof ContentDocument>;

export const GrepBody = z
  .strictObject({
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
  })
  .meta({ id: 'GrepRequest' });
export type GrepBody = z.infer<typeof GrepBody>;

export const GrepAnswer = z
  .object({
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
    looked_at: z
      .number()
      .min(0)
      .max(1)
      .describe(
        'Share of the chunks that the caller may see which this page and those before it have searched; 1 when nothing is left.',
      ),
    next,
  })
  .meta({ id: 'GrepAnswer' });
export type GrepAnswer = z.infer<typeof GrepAnswer>;
