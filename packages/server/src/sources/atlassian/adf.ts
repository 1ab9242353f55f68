/**
 * Writes the Atlassian Document Format as Markdown (https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/).
 * A node of an unknown type is written as the nodes in it. Pictures and files are records of their own, so only their
 * captions are written.
 */
import { z } from 'zod';
import { writeTable } from '../../documents/html-table.ts';
import {
  createMarkdownWriter,
  fenced,
  type MarkdownWriter,
} from '../../documents/markdown-writer.ts';
import { some, text } from '../kit/lenient.ts';
import { type AdfNames, writeInline } from './adf-inline.ts';

/** A document of more levels is malformed or hostile. What is deeper is left out. */
const DEEPEST = 100;

const Attributes = z.record(z.string(), z.unknown()).catch({});
const Mark = z.object({ type: text, attrs: Attributes });
export interface AdfNode {
  readonly type: string;
  readonly text: string;
  readonly attrs: Readonly<Record<string, unknown>>;
  readonly marks: readonly z.output<typeof Mark>[];
  readonly content: readonly AdfNode[];
}
export const AdfNode: z.ZodType<AdfNode> = z.object({
  type: text,
  text,
  attrs: Attributes,
  marks: some(Mark),
  content: z.lazy(() => some(AdfNode)),
});

interface AdfOutput {
  readonly writer: MarkdownWriter;
  readonly names: AdfNames;
  readonly depth: number;
}
type WriteNode = (node: AdfNode, output: AdfOutput) => void;

/** A field of Jira may also hold plain text. */
export function adfMarkdown(document: AdfNode | string | null, names: AdfNames): string {
  if (document === null) return '';
  if (typeof document === 'string') return document;
  return written(document.content, { names, depth: 0 });
}

function written(nodes: readonly AdfNode[], output: Omit<AdfOutput, 'writer'>): string {
  const writer = createMarkdownWriter();
  writeAll(nodes, { ...output, writer });
  return writer.result();
}

function writeAll(nodes: readonly AdfNode[], { depth, ...output }: AdfOutput): void {
  if (depth > DEEPEST) return;
  for (const node of nodes) {
    const write = Object.hasOwn(WRITERS, node.type) ? WRITERS[node.type] : undefined;
    if (write) write(node, { ...output, depth: depth + 1 });
    else if (!writeInline(node, output)) block(node, { ...output, depth: depth + 1 });
  }
}

const block: WriteNode = ({ content }, output) => {
  output.writer.block();
  writeAll(content, output);
  output.writer.block();
};

/** The lines of the level begin with the marker and the prefix. */
const level =
  (marker: string, prefix: string, before = ''): WriteNode =>
  ({ content }, output) => {
    const { writer } = output;
    writer.block();
    writer.enter({ prefix, marker });
    if (before !== '') writer.text(before);
    writer.block();
    writeAll(content, output);
    writer.leave();
    writer.block();
  };

const heading: WriteNode = (node, output) => {
  const rank = Math.min(Math.max(Math.trunc(Number(node.attrs.level)) || 1, 1), 6);
  const { writer } = output;
  writer.block();
  writer.enter({ prefix: '', marker: `${'#'.repeat(rank)} ` });
  writer.text(written(node.content, output).replaceAll(/\s+/g, ' '));
  writer.leave();
  writer.block();
};

const list =
  (markerOf: (item: AdfNode, place: number) => string): WriteNode =>
  ({ content, attrs }, output) => {
    const { writer } = output;
    writer.block();
    let place = Math.trunc(Number(attrs.order ?? 1)) || 0;
    for (const item of content) {
      // A list of tasks has the tasks below a task in a list of its own beside it.
      if (Object.hasOwn(WRITERS, item.type)) {
        writer.enter({ prefix: '  ', marker: '  ', list: true });
        writeAll([item], output);
        writer.leave();
        continue;
      }
      const marker = markerOf(item, place++);
      writer.enter({ prefix: ' '.repeat(marker.indexOf(' ') + 1), marker, list: true });
      writeAll(item.content, output);
      writer.leave();
      writer.newLine();
    }
    writer.block();
  };

const code: WriteNode = ({ content, attrs }, { writer }) => {
  const program = content.map((node) => node.text).join('');
  const language = String(attrs.language ?? '');
  if (program.trim() !== '')
    writer.verbatim(fenced(program, /^[\w+#.-]{1,30}$/.test(language) ? language : ''));
};

const table: WriteNode = ({ content }, output) => {
  const { writer } = output;
  const rows = content.map((row) =>
    row.content.flatMap((cell) => [
      written(cell.content, output).replaceAll(/\s+/g, ' '),
      ...Array.from({ length: coveredBy(cell) }, () => ''),
    ]),
  );
  writer.block();
  writeTable({ rows, isLayout: false }, writer);
  writer.block();
};

/** A cell may lie over the columns to its right. */
const coveredBy = ({ attrs }: AdfNode): number =>
  Math.min(Math.max(Math.trunc(Number(attrs.colspan ?? 1)) || 1, 1), MOST_COLUMNS) - 1;
const MOST_COLUMNS = 100;

const expand: WriteNode = (node, output) => {
  output.writer.block();
  output.writer.text(String(node.attrs.title ?? ''));
  block(node, output);
};

const card: WriteNode = (node, output) => {
  output.writer.block();
  writeInline(node, output);
  output.writer.block();
};

const nothing: WriteNode = () => {};

const done = ({ attrs }: AdfNode) => (attrs.state === 'DONE' ? '- [x] ' : '- [ ] ');

const WRITERS: Readonly<Record<string, WriteNode>> = {
  ...{ heading, codeBlock: code, table, expand, nestedExpand: expand, paragraph: block },
  bulletList: list(() => '- '),
  orderedList: list((_, place) => `${place}. `),
  taskList: list(done),
  decisionList: list(() => '- '),
  ...{ blockquote: level('> ', '> '), panel: level('> ', '> ') },
  ...{ rule: nothing, media: nothing },
  ...{ mediaInline: nothing, blockCard: card, embedCard: card },
};
