/** The tools `read` and `fetch` return the text of a stored record, or as many of its passages as fit into an answer. */
import { z } from 'zod';
import { briefFields, cut, howManyFit, share, tokensOf } from '../budget.ts';
import {
  briefItem,
  DATA_NOTE,
  FRAME_TOKENS,
  headline,
  NAME_TOKENS,
  queryOf,
  RecordItem,
} from './item.ts';
import { linkJson, linksTo, withoutMissing } from './links.ts';
import { collectionPath, defineTool, type ToolContext } from './tool.ts';

const Chunk = z.object({
  position: z.int(),
  heading: z.string().nullable(),
  page: z.int().nullable(),
  place: z.string().nullable(),
  text: z.string(),
});
const ReadDocument = RecordItem.extend({
  metadata: z.record(z.string(), z.unknown()),
  total_chunks: z.int(),
  chunks: z.array(Chunk),
});
type ReadDocument = z.infer<typeof ReadDocument>;

const METADATA_TOKENS = 800;

const Id = z
  .string()
  .min(1)
  .describe('The id of a record, or the entity_id of a search result or a citation.');

async function load(id: string, from: number, { api, collection, signal, maxTokens }: ToolContext) {
  const query = queryOf({ id, from, limit: 200 });
  const path = `${collectionPath(collection)}/contents/read${query}`;
  const document = ReadDocument.parse(await api({ method: 'GET', path }, signal));
  const metadata = briefFields(document.metadata, share(METADATA_TOKENS, maxTokens));
  const brief = { ...briefItem(document), metadata };
  const links = withoutMissing(linksTo([brief]));
  // An answer has the text as Markdown and as JSON, and the longer form must fit. JSON is often longer, because it
  // escapes characters.
  const overhead = Math.max(
    tokensOf(JSON.stringify({ ...brief, chunks: [] })),
    tokensOf(headline(brief) + links.map(linkJson).join('')),
  );
  const room = maxTokens - FRAME_TOKENS - overhead;
  const all = document.chunks.map((chunk) => ({
    ...chunk,
    heading: chunk.heading && cut(chunk.heading, NAME_TOKENS),
    text: cut(chunk.text, Math.floor(room / 2)),
  }));
  const chunks = all.slice(
    0,
    howManyFit(
      all.map((chunk) => JSON.stringify(chunk)),
      room,
    ),
  );
  const end = chunks.at(-1)?.position ?? from - 1;
  const next = end + 1 < document.total_chunks ? end + 1 : null;
  return { document: { ...brief, chunks }, next, links };
}

const wholeText = ({ chunks }: ReadDocument) => chunks.map(({ text }) => text).join('\n\n');

export const readTool = defineTool({
  name: 'read',
  title: 'Read a record',
  description:
    'Read the stored text of a record of the collection, in passages. Of a long record, the answer has the first passages and says where to continue.',
  input: z.object({
    id: Id,
    from: z.int().min(0).default(0).describe('Position of the first passage.'),
  }),
  output: ReadDocument.extend({
    next_from: z
      .int()
      .nullable()
      .describe('For the rest, call again with this number as `from`; null: there is no more.'),
  }),
  async run({ id, from }, context) {
    const { document, next, links } = await load(id, from, context);
    const last = document.chunks.at(-1)?.position;
    const text = [
      DATA_NOTE,
      headline(document),
      wholeText(document),
      last === undefined
        ? `no passages from ${from} on; it has ${document.total_chunks}`
        : `showing passages ${from}–${last} of ${document.total_chunks}${next === null ? '' : `, call again with from=${next}`}`,
    ];
    return {
      text: text.filter(Boolean).join('\n\n'),
      data: { ...document, next_from: next },
      links,
    };
  },
});

/** ChatGPT requires this form: https://platform.openai.com/docs/mcp */
export const fetchTool = defineTool({
  name: 'fetch',
  title: 'Fetch a record',
  description: 'Get the text of a record by an id from search.',
  input: z.object({ id: Id }),
  output: z.object({
    id: z.string(),
    title: z.string(),
    text: z.string(),
    url: z.string(),
    metadata: z.record(z.string(), z.unknown()),
  }),
  async run({ id }, context) {
    const { document, next } = await load(id, 0, context);
    const rest = next === null ? '' : `\n\n(cut: read ${document.id} from=${next} for the rest)`;
    const { entity_type, source_name, updated_at, true_as_of } = document;
    const data = {
      id,
      title: document.name,
      text: wholeText(document) + rest,
      url: document.url,
      metadata: joinFields(document.metadata, {
        ...{ entity_type, source_name, updated_at, true_as_of },
        note: DATA_NOTE,
      }),
    };
    return { text: JSON.stringify(data), data };
  },
});

/**
 * Joins the fields of the source with our own fields. When both have the same name, the source's field gets the name
 * `source.<name>`, as in search results.
 */
function joinFields(
  sourceFields: ReadDocument['metadata'],
  ours: Readonly<Record<string, unknown>>,
) {
  const shown = Object.entries(sourceFields).map(([name, value]) => {
    const isTaken = Object.hasOwn(ours, name.replace(/^(source\.)+/, ''));
    return [isTaken ? `source.${name}` : name, value];
  });
  return { ...Object.fromEntries(shown), ...ours };
}
