/** Writes records as tables and paragraphs. */
import { writeTable } from '../html-table.ts';
import { createMarkdownWriter, textLine } from '../markdown-writer.ts';

export interface RecordField {
  readonly name: string;
  /** This is one line. */
  readonly value: string;
}

export interface RecordWriter {
  /** Begins a section when the names of the elements around the records differ from those before. */
  section(names: readonly string[]): void;
  record(name: string, fields: readonly RecordField[]): void;
  /** Writes fields that belong to no record. */
  loose(fields: readonly RecordField[]): void;
  /** Returns the blocks. */
  result(): string[];
}

const LONGEST_CELL = 100;
const FEWEST_COLUMNS = 2;
const MOST_COLUMNS = 12;
/** Fewer records are easier to read as paragraphs. */
const FEWEST_ROWS = 3;

export function createRecordWriter(): RecordWriter {
  const blocks: string[] = [];
  let heading = '';
  /** These records follow each other and have the same fields. */
  let same: {
    readonly shape: string;
    readonly name: string;
    readonly rows: RecordField[][];
  } | null = null;
  /** These values stand alone, such as the items of a list of names. */
  let lines: string[] = [];

  function flush(): void {
    if (lines.length > 0) blocks.push(lines.join('\n'));
    lines = [];
    if (!same) return;
    const { rows, name } = same;
    same = null;
    if (rows.length < FEWEST_ROWS) blocks.push(...rows.map((row) => paragraph(name, row)));
    else blocks.push(tableOf(rows));
  }

  return {
    section(names) {
      const title = names.join(' ');
      if (title === heading) return;
      flush();
      heading = title;
      if (title !== '') blocks.push(`## ${title}`);
    },
    record(name, fields) {
      const [first] = fields;
      if (!first) return;
      if (fields.length === 1) {
        if (same) flush();
        const label = first.name === '' || first.name === name ? name : `${name} ${first.name}`;
        lines.push(lineOf({ name: label, value: first.value }));
        return;
      }
      const shape = shapeOf(name, fields);
      if (same && same.shape === shape) same.rows.push([...fields]);
      else {
        flush();
        if (shape === null) blocks.push(paragraph(name, fields));
        else same = { shape, name, rows: [[...fields]] };
      }
    },
    loose(fields) {
      if (fields.length === 0) return;
      flush();
      blocks.push(fields.map(lineOf).join('\n'));
    },
    result() {
      flush();
      return blocks;
    },
  };
}

/** Returns null for a record that does not fit into a row. */
function shapeOf(name: string, fields: readonly RecordField[]): string | null {
  const names = new Set(fields.map((field) => field.name));
  const fits =
    names.size === fields.length &&
    names.size >= FEWEST_COLUMNS &&
    names.size <= MOST_COLUMNS &&
    fields.every(({ value }) => value.length <= LONGEST_CELL);
  return fits ? [name, ...names].join('\n') : null;
}

function tableOf(rows: readonly (readonly RecordField[])[]): string {
  const writer = createMarkdownWriter();
  const header = rows[0]?.map(({ name }) => name || 'value') ?? [];
  const cells = rows.map((row) => row.map(({ value }) => value));
  writeTable({ rows: [header, ...cells], isLayout: false }, writer);
  return writer.result();
}

const paragraph = (name: string, fields: readonly RecordField[]): string =>
  [name, ...fields.map(lineOf)].join('\n');

const lineOf = ({ name, value }: RecordField): string =>
  name === '' ? textLine(value, true) : `${name}: ${value}`;
