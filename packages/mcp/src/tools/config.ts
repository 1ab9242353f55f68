/** The tool `get-config` says how this server is set up, and whether it works. It never shows a key. */
import { z } from 'zod';
import { ApiError } from '../api.ts';
import { howManyFit } from '../budget.ts';
import { About } from '../facts.ts';
import { FRAME_TOKENS } from './item.ts';
import { collectionPath, defineTool } from './tool.ts';

export const MODES = ['local', 'hosted'] as const;
export type Mode = (typeof MODES)[number];

const output = z.object({
  version: z.string(),
  mode: z.enum(MODES),
  address: z.string(),
  collection: z.string(),
  status: z.string().describe('ok, or why the collection cannot be searched.'),
  collection_name: z.string().optional(),
  collection_status: z
    .string()
    .optional()
    .describe('NEEDS_SOURCE, ACTIVE or ERROR, as the API says.'),
  entity_types: z
    .array(z.string())
    .optional()
    .describe('Types of the records, as a filter names them.'),
  metadata_fields: z
    .array(z.string())
    .optional()
    .describe(
      'Fields of the records, as a filter names them. A filter may also name other fields: the list may lack fields of rare records that few people may see.',
    ),
  left_out: z
    .int()
    .optional()
    .describe('Number of types and fields that were left out for lack of room.'),
  max_result_tokens: z.int(),
});

const input = z.object({});

const Contents = About.extend({ status: z.string() });

export const configTool = (config: {
  readonly version: string;
  readonly mode: Mode;
  readonly address: string;
}) =>
  defineTool({
    name: 'get-config',
    title: 'Show the configuration',
    description:
      'Returns the collection that this server searches, its address, whether it can be searched, and the types and fields that a filter may name. Takes no parameters.',
    input,
    output,
    async run(_args, { api, collection, signal, maxTokens }) {
      const data = {
        ...config,
        collection,
        ...(await readContents()),
        max_result_tokens: maxTokens,
      };
      const lines = Object.entries(data).map(
        ([name, value]) => `${name}: ${Array.isArray(value) ? value.join(', ') : value}`,
      );
      return { text: lines.join('\n'), data };

      /**
       * Asks the API about the collection. An error becomes the status, because the caller wants to know why a search
       * would fail.
       */
      async function readContents() {
        try {
          const path = `${collectionPath(collection)}/contents`;
          const about = Contents.parse(await api({ method: 'GET', path }, signal));
          const types = about.entity_types.map(({ entity_type }) => entity_type);
          const fields = about.metadata_fields;
          const room = maxTokens - FRAME_TOKENS;
          const shownTypes = types.slice(0, fitting(types, room / 4));
          const shown = fields.slice(0, fitting(fields, (room * 3) / 4));
          return {
            status: 'ok',
            collection_name: about.name,
            collection_status: about.status,
            entity_types: shownTypes,
            metadata_fields: shown,
            left_out: types.length + fields.length - shownTypes.length - shown.length,
          };
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          return { status: error.message };
        }
      }
    },
  });

/** Returns how many of the names fit; each counts with its quotes and comma in a JSON list. */
const fitting = (names: readonly string[], room: number): number =>
  howManyFit(
    names.map((name) => `${JSON.stringify(name)},`),
    room,
  );
