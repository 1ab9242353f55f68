/** The tool `grep` returns the lines that a regular expression matches. */
import { z } from 'zod';
import { howManyFit } from '../budget.ts';
import {
  briefItem,
  DATA_NOTE,
  FRAME_TOKENS,
  headline,
  ListFilter,
  next,
  RecordItem,
} from './item.ts';
import { linkJson, linksTo, withoutMissing } from './links.ts';
import { collectionPath, defineTool } from './tool.ts';

const Line = z.object({ position: z.int(), line: z.string() });
const Record = RecordItem.extend({ lines: z.array(Line) });
const Page = z.object({
  records: z.array(Record),
  searched: z.int(),
  looked_at: z
    .number()
    .default(1)
    .describe('Share of the passages that this answer and those before it have looked at.'),
  next,
});
type Records = readonly z.infer<typeof Record>[];

export const grepTool = defineTool({
  name: 'grep',
  title: 'Find lines by a regular expression',
  description:
    'Find the lines of the collection that a regular expression (RE2: no look-around, no back-references) matches, exactly and in a fixed order. The lines are grouped by record. The number before a line is the position of its passage; to read on from there, call the tool `read` with this number as `from`.',
  input: z.object({
    pattern: z.string().min(1).max(500).describe('For example: timeout|timed out'),
    ignore_case: z.boolean().default(false),
    ...ListFilter,
    filter: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('A filter as in the search tool: {"must": [{"key": …, "match": {"value": …}}]}.'),
    limit: z.int().min(1).max(200).default(50).describe('Maximum number of lines, approximately.'),
  }),
  output: Page,
  async run(args, { api, collection, signal, maxTokens }) {
    const requestPage = async (limit: number) => {
      const path = `${collectionPath(collection)}/contents/grep`;
      const body = { ...args, limit };
      const answer = Page.parse(await api({ method: 'POST', path, body }, signal));
      return { ...answer, records: answer.records.map(briefItem) };
    };
    const fullPage = await requestPage(args.limit);
    const lineCount = wholePassages(
      fullPage.records,
      howManyLinesFit(fullPage.records, maxTokens - FRAME_TOKENS),
    );
    // Only the API knows the position after a shorter page, so a shorter page is requested.
    const isCut = lineCount < count(fullPage.records);
    const page = isCut ? await requestPage(lineCount) : fullPage;
    const { searched, looked_at, next } = page;
    // A page with fewer lines than were asked for ends because its time was over.
    const isLate = next !== null && count(page.records) < (isCut ? lineCount : args.limit);
    // A page ends after a whole passage, and one passage alone may have more lines than fit.
    const records = first(page.records, howManyLinesFit(page.records, maxTokens - FRAME_TOKENS));
    const shown = count(records);
    const left = count(page.records) - shown;
    const text = [
      records.length === 0 ? '' : DATA_NOTE,
      ...records.map(toText),
      left === 0 ? '' : `${left} more lines of the last passage match: read it`,
      `${isLate ? `incomplete, ${Math.floor(looked_at * 100)} % looked at: ` : ''}showing ${shown} lines that match in ${searched} passages${next === null ? '; nothing is left' : `, call again with after=${next}`}`,
    ];
    return {
      text: text.filter(Boolean).join('\n'),
      data: { records, searched, looked_at, next },
      links: withoutMissing(linksTo(records)),
    };
  },
});

const lineText = ({ position, line }: z.infer<typeof Line>): string => `\n  ${position}: ${line}`;

const toText = ({ lines, ...item }: Records[number]): string =>
  [headline(item), ...lines.map(lineText)].join('');

const count = (records: Records): number =>
  records.reduce((sum, { lines }) => sum + lines.length, 0);

/** Returns how many lines fit. The headline of a record counts together with its first line. */
function howManyLinesFit(records: Records, room: number): number {
  const links = linksTo(records);
  const inData = records.flatMap(({ lines, ...item }) =>
    lines.map((line, i) => JSON.stringify(i === 0 ? { ...item, ...line } : line)),
  );
  const inText = records.flatMap(({ lines, ...item }, k) =>
    lines.map((line, i) =>
      i === 0 ? toText({ ...item, lines: [line] }) + linkJson(links[k]) : lineText(line),
    ),
  );
  return Math.min(howManyFit(inData, room), howManyFit(inText, room));
}

/**
 * Returns the largest number of lines, at most `lines`, after which a passage ends. Returns 1 when the first passage
 * has more lines.
 */
function wholePassages(records: Records, lines: number): number {
  const passages = records.flatMap(({ id, lines }) =>
    lines.map(({ position }) => `${position} ${id}`),
  );
  let end = lines;
  while (end > 0 && passages[end] !== undefined && passages[end] === passages[end - 1]) end--;
  return Math.max(1, end);
}

/** Returns the records with only the first `lines` lines. */
function first(records: Records, lines: number): z.infer<typeof Record>[] {
  let left = lines;
  return records.flatMap((record) => {
    const shown = record.lines.slice(0, Math.max(0, left));
    left -= shown.length;
    return shown.length === 0 ? [] : [{ ...record, lines: shown }];
  });
}
