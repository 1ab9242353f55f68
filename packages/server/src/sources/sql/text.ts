/**
 * Writes the text of a row in Markdown: first a line with the table and the name of the row, then each column with its
 * name, in the order of the table. A foreign key is written with the name of the row to which it refers. Columns
 * without a value are left out, and so are values that people cannot read, such as vectors.
 */
import type { Reference, ShapedColumn } from './shape.ts';

/** A value with more characters becomes a paragraph of its own. */
const MAX_LINE = 200;

export interface ColumnValue {
  readonly column: ShapedColumn;
  /** This is the value in the text form of the server, or null. */
  readonly text: string | null;
  readonly json: unknown;
}

/** This is a foreign key of the row with the name of the row to which it refers. */
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
    // When the name of the other row is only its key, the name is not written, because it would repeat the key.
    if (single && single.name !== words) blocks.push(line(...linked(name, words, single.name)));
    else if (words !== '') blocks.push(line(name, words));
    for (const { reference, name: referred } of named)
      if (!isSingle(reference) && isOf(reference, name))
        blocks.push(line(`${reference.table} (${reference.columns.join(', ')})`, referred));
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

/**
 * Returns the label and the text of a foreign key. For example, the column `customer_id` with the value 17 gets the label
 * `customer` and the text `Ann Lee (customer_id 17)`.
 */
function linked(column: string, words: string, name: string): [string, string] {
  const label = column.replace(/(?<=.)(_id|Id|ID)$/, '');
  return [label, `${name} (${label === column ? '' : `${column} `}${words})`];
}

const isSingle = ({ columns }: Reference): boolean => columns.length === 1;

/** A reference with several columns is written after the last of them. */
const isOf = ({ columns }: Reference, column: string): boolean => columns.at(-1) === column;

const wordsOf = ({ column, text, json }: ColumnValue): string =>
  text === null || json === null ? '' : column.kind.toText(text, json).trim();
