/**
 * Turns data in XML into Markdown. The first elements that are repeated are records. Records with the same few short
 * fields become the rows of a table; any other record becomes a paragraph with one line for each field, so that it is
 * not cut when it is short.
 */
import { inOneLine } from '../../util.ts';
import type { Converted } from '../convert.ts';
import { MAX_CHARACTERS } from '../kinds.ts';
import { textLine } from '../markdown-writer.ts';
import { localName, parseXml, type XmlAttributes } from './parse.ts';
import { createRecordWriter, type RecordField } from './record-writer.ts';

/** The name of a field has the names of at most so many elements. */
const LONGEST_NAME = 4;
/** Returns true for bytes in base 64, and for any long value that begins like them and has no blank. */
const isBase64 = (text: string): boolean =>
  /^[\w+/=-]{200}/.test(text.slice(0, 200)) && !text.includes(' ');

interface OpenField {
  readonly name: string;
  text: string;
}

export function recordsToMarkdown(source: string, name: string, recordDepth: number): Converted {
  const writer = createRecordWriter();
  const stack: OpenField[] = [];
  let fields: RecordField[] = [];
  let characters = 0;

  function add(depth: number, value: string, attribute?: string): void {
    const text = inOneLine(value);
    // A file with more text than the limit is left out anyway.
    if (text === '' || isBase64(text) || characters > MAX_CHARACTERS) return;
    characters += text.length;
    // A field of a record is named by the elements inside of the record.
    const from = depth < recordDepth ? depth : recordDepth + 1;
    const last = Math.max(from, depth + 1 - LONGEST_NAME);
    const names = stack.slice(last, depth + 1).map((one) => one.name);
    const parts = [...names, ...(attribute === undefined ? [] : [attribute])];
    fields.push({ name: parts.join(' '), value: text });
  }

  parseXml(source, {
    open(tag, attributes) {
      const depth = stack.length;
      if (depth === recordDepth && fields.length > 0) {
        writer.loose(fields);
        fields = [];
      }
      stack.push({ name: nameOf(tag), text: '' });
      if (depth === recordDepth) writer.section(stack.slice(1, depth).map((one) => one.name));
      for (const [attribute, value] of attributesOf(attributes)) add(depth, value, attribute);
    },
    close() {
      const depth = stack.length - 1;
      const closed = stack.at(-1);
      if (!closed) return;
      add(depth, closed.text);
      stack.pop();
      if (depth !== recordDepth) return;
      writer.record(closed.name, fields);
      fields = [];
    },
    text(data) {
      const open = stack.at(-1);
      if (open) open.text += data;
    },
  });
  writer.loose(fields);
  const title = textLine(name, false);
  return { text: [...(name === '' ? [] : [`# ${title}`]), ...writer.result()].join('\n\n') };
}

const nameOf = (tag: string): string => tag.slice(tag.indexOf(':') + 1);

/** Declarations of namespaces, and places of schemas, say nothing about the data. */
const attributesOf = (attributes: XmlAttributes): (readonly [string, string])[] =>
  Object.entries(attributes)
    .filter(([name]) => !/^(?:xmlns(?::|$)|xsi:)/.test(name))
    .map(([name, value]) => [localName(name), value]);
