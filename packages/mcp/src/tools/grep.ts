/** `grep`: lines that an expression matches. */
import { z } from 'zod';
import { howManyFit, MAX_TOKENS } from '../budget.ts';
import { briefItem, FRAME, headline, Item, Narrow, next } from './item.ts';
import { collectionPath, defineTool } from './tool.ts';

const Match = Item.extend({ position: z.int(), line: z.string() });
const Page = z.object({ matches: z.array(Match), searched: z.int(), next });

export const grepTool = defineTool({
  name: 'grep',
  title: 'Find lines by a regular expression',
  description:
    'Find the lines of the collection that a regular expression (RE2: no look-around, no back-references) matches, exactly and in a fixed order. Each has the id of its record and the position to read from.',
  input: z.object({
    pattern: z.string().min(1).max(500).describe('For example: timeout|timed out'),
    ignore_case: z.boolean().default(false),
    ...Narrow,
    filter: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('As of the search tool: {"must": [{"key": …, "match": {"value": …}}]}.'),
    limit: z.int().min(1).max(1000).default(50).describe('How many lines, about, at most.'),
  }),
  output: Page,
  async run(args, { api, collection, signal }) {
    const page = async (limit: number) => {
      const path = `${collectionPath(collection)}/contents/grep`;
      const body = { ...args, limit };
      const answer = Page.parse(await api({ method: 'POST', path, body }, signal));
      return { ...answer, matches: answer.matches.map(briefItem) };
    };
    const all = await page(args.limit);
    const some = fitting(all.matches);
    // Only the API knows where a shorter page ends.
    const shorter = some < all.matches.length ? await page(some) : all;
    const { searched, next } = shorter;
    // A page ends after a passage, and that may have more lines than there is room for.
    const matches = shorter.matches.slice(0, fitting(shorter.matches));
    const left = shorter.matches.length - matches.length;
    const text = [
      ...matches.map(
        (match) => `- ${headline(match)} · position ${match.position}\n  ${match.line}`,
      ),
      left === 0 ? '' : `${left} more lines of the last passage match: read it`,
      `${matches.length} lines match in ${searched} passages looked at${next === null ? '; that was all' : `, call again with after=${next} for the rest`}`,
    ];
    return { text: text.filter(Boolean).join('\n'), data: { matches, searched, next } };
  },
});

const fitting = (matches: readonly z.infer<typeof Match>[]): number =>
  howManyFit(
    matches.map((match) => JSON.stringify(match)),
    MAX_TOKENS - FRAME,
  );
