/**
 * The text of a row, in Markdown: a line that says what it is, then each column with its name, in the order
 * of the table. A foreign key comes with the name of the row that it leads to. A column without a value is
 * left out, and so is what was made for machines, such as vectors.
 */
import type { Reference } from './references.ts';
import type { ShapedColumn } from './shape.ts';

/** A longer value is a paragraph of its own. */
const MAX_LINE = 200;

export interface ColumnValue {
  readonly column: ShapedColumn;
  /** As PostgreSQL writes it; null without a value. */
  readonly text: string | null;
  readonly json: unknown;
}

/** A foreign key of the row and the name behind it. */
export interface NamedReference {
  readonly reference: Reference;
  readonly name: string;
}

interface TextBlock {
  readonly text: string;
  readonly isParagraph: boolean;
}

export function textOf(
  title: string,
  values: Iterable<ColumnValue>,
  named: readonly NamedReference[],
): string {
  const blocks: TextBlock[] = [{ text: title, isParagraph: true }];
  for (const value of values) {
    const words = wordsOf(value);
    const { name } = value.column;
    const single = named.find(({ reference }) => isOf(reference, name) && isSingle(reference));
    // What is named by its key alone would only be repeated.
    if (single && single.name !== words) blocks.push(line(...linked(name, words, single.name)));
    else if (words !== '') blocks.push(line(name, words));
    for (const { reference, name: behind } of named)
      if (!isSingle(reference) && isOf(reference, name))
        blocks.push(line(`${reference.table} (${reference.columns.join(', ')})`, behind));
  }
  return blocks
    .map(({ text, isParagraph }, i) => {
      if (i === 0) return text;
      return `${isParagraph || blocks[i - 1]?.isParagraph ? '\n\n' : '\n'}${text}`;
    })
    .join('');
}

function line(name: string, words: string): TextBlock {
  const isParagraph = words.length > MAX_LINE || words.includes('\n');
  const label = `**${name.replace(/\s+/g, ' ')}**:`;
  return { text: isParagraph ? `${label}\n\n${words}` : `- ${label} ${words}`, isParagraph };
}

/** `customer_id` with the value 17 as the customer's name, which stands before both. */
function linked(column: string, words: string, name: string): [string, string] {
  const label = column.replace(/(?<=.)(_id|Id|ID)$/, '');
  return [label, `${name} (${label === column ? '' : `${column} `}${words})`];
}

const isSingle = ({ columns }: Reference): boolean => columns.length === 1;

/** One of several columns stands for all of them: the last one. */
const isOf = ({ columns }: Reference, column: string): boolean => columns.at(-1) === column;

const wordsOf = ({ column, text, json }: ColumnValue): string =>
  text === null || json === null ? '' : column.kind.toText(text, json).trim();
