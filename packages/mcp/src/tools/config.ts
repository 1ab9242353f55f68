/** `get-config`: what this server is set to, and whether it works. It never shows a key. */
import { z } from 'zod';
import { ApiError } from '../api.ts';
import { collectionPath, defineTool } from './tool.ts';

const output = z.object({
  version: z.string(),
  mode: z.enum(['local', 'hosted']),
  address: z.string(),
  collection: z.string(),
  status: z.string().describe('ok, or why the collection cannot be searched.'),
  collection_name: z.string().optional(),
  collection_status: z
    .string()
    .optional()
    .describe('NEEDS_SOURCE, ACTIVE or ERROR, as the API says.'),
  max_result_tokens: z.int(),
});

const input = z.object({});

const Collection = z.object({ name: z.string(), status: z.string() });

export const configTool = (config: {
  readonly version: string;
  readonly mode: 'local' | 'hosted';
  readonly address: string;
}) =>
  defineTool({
    name: 'get-config',
    title: 'Show the configuration',
    description:
      'Says which collection this server searches, at which address, and whether it can. Takes no parameters.',
    input,
    output,
    async run(_args, { api, collection, signal, maxTokens }) {
      const data = {
        ...config,
        collection,
        ...(await look()),
        max_result_tokens: maxTokens,
      };
      const lines = Object.entries(data).map(([name, value]) => `${name}: ${value}`);
      return { text: lines.join('\n'), data };

      /** The status of a search that would fail is what one wants to know. */
      async function look() {
        try {
          const path = collectionPath(collection);
          const { name, status } = Collection.parse(await api({ method: 'GET', path }, signal));
          return { status: 'ok', collection_name: name, collection_status: status };
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          return { status: error.message };
        }
      }
    },
  });
