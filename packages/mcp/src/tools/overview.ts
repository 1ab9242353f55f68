/** This is `get-config` for a caller who reaches several collections, or none. */
import { z } from 'zod';
import { howManyFit } from '../budget.ts';
import { searchToolName } from '../names.ts';
import type { BoundTool } from '../toolbox.ts';
import { MODES, type Mode } from './config.ts';
import { FRAME_TOKENS } from './item.ts';
import type { ReachableCollection } from './reachable.ts';

const input = z.object({});

const output = z.object({
  version: z.string(),
  mode: z.enum(MODES),
  address: z.string(),
  status: z.string().describe('ok, or why nothing can be searched.'),
  collections: z.array(
    z.object({
      collection: z.string().describe('Name of the collection in the calls of other tools.'),
      name: z.string(),
      tool: z.string().describe('The tool that searches it.'),
    }),
  ),
  total_collections: z.int(),
  max_result_tokens: z.int(),
});

export const overviewTool = (config: {
  readonly version: string;
  readonly mode: Mode;
  readonly address: string;
  readonly reachable: readonly ReachableCollection[];
}): BoundTool => ({
  name: 'get-config',
  title: 'Show the configuration',
  description:
    'Returns the collections that this server searches for you, the tools for them, and whether they can be searched. Takes no parameters.',
  input,
  output,
  async run(_args, { maxTokens }) {
    const { version, mode, address, reachable } = config;
    const all = reachable.map(({ handle, name }) => ({
      collection: handle,
      name,
      tool: searchToolName(handle),
    }));
    const fitting = howManyFit(
      all.map((one) => JSON.stringify(one)),
      maxTokens - FRAME_TOKENS,
    );
    const data = {
      version,
      mode,
      address,
      status:
        all.length > 0
          ? 'ok'
          : 'you reach no collection: make one, or ask an admin for access to one',
      collections: all.slice(0, fitting),
      total_collections: all.length,
      max_result_tokens: maxTokens,
    };
    const { collections, ...facts } = data;
    const lines = [
      ...Object.entries(facts).map(([name, value]) => `${name}: ${value}`),
      ...collections.map(({ collection, name, tool }) => `- ${collection} (${name}): ${tool}`),
      fitting < all.length ? `and ${all.length - fitting} more: tools/list names their tools` : '',
    ];
    return { text: lines.filter(Boolean).join('\n'), data };
  },
});
