/**
 * Turns translations into tables with a column for each language: XLIFF 1.2 and 2.0 (OASIS), and TMX 1.4b (LISA). What
 * a translator has written about a text stands in the last column.
 */
import { inOneLine } from '../../util.ts';
import type { Converted } from '../convert.ts';
import { writeTable } from '../html-table.ts';
import { createMarkdownWriter, type MarkdownWriter } from '../markdown-writer.ts';
import { localName, parseXml, type XmlAttributes } from './parse.ts';

const UNITS: ReadonlySet<string> = new Set(['trans-unit', 'unit', 'tu']);
const TEXTS: ReadonlySet<string> = new Set(['source', 'target', 'seg', 'note']);
const NOTE = 'note';
/** A table may have this many times more cells than there are texts, and so many more in any case. */
const MOST_EMPTY = 4;
const ALWAYS_ALLOWED = 1000;

export function translationsToMarkdown(source: string, name: string): Converted {
  const tables: { readonly title: string; readonly units: Map<string, string>[] }[] = [];
  const columns = new Set<string>();
  let languages: { source: string; target: string } = { source: 'source', target: 'target' };
  let variant = '';
  let unit: Map<string, string> | null = null;
  let column: string | null = null;
  let alternatives = 0;
  let text: string[] = [];

  function openText(local: string): void {
    if (local === NOTE) column = NOTE;
    else if (local === 'seg') column = variant;
    else column = local === 'source' ? languages.source : languages.target;
    text = [];
  }

  parseXml(source, {
    open(tag, attributes) {
      const local = localName(tag);
      if (local === 'xliff' || local === 'file') languages = languagesOf(attributes, languages);
      if (local === 'file') tables.push({ title: inOneLine(attributes.original ?? ''), units: [] });
      if (local === 'tuv') variant = inOneLine(attributes['xml:lang'] ?? attributes.lang ?? '');
      if (local === 'alt-trans') alternatives++;
      if (UNITS.has(local)) unit = new Map();
      if (unit && alternatives === 0 && TEXTS.has(local)) openText(local);
    },
    close(tag) {
      const local = localName(tag);
      if (local === 'alt-trans') alternatives--;
      if (unit && column !== null && TEXTS.has(local)) {
        addText(unit, column, inOneLine(text.join('')));
        column = null;
      }
      if (!unit || !UNITS.has(local)) return;
      if (tables.length === 0) tables.push({ title: '', units: [] });
      for (const one of unit.keys()) columns.add(one);
      tables.at(-1)?.units.push(unit);
      unit = null;
    },
    text(data) {
      if (column !== null) text.push(data);
    },
  });
  const header = [...columns].filter((one) => one !== NOTE);
  if (columns.has(NOTE)) header.push(NOTE);
  const writer = createMarkdownWriter();
  writer.verbatim(`# ${name || 'Translations'}`);
  for (const { title, units } of tables) {
    if (title !== '') writer.verbatim(`## ${title}`);
    writeUnits(units, header, writer);
  }
  return { text: writer.result() };
}

/** Writes a table, or where most of its cells would be empty, a line for each unit. */
function writeUnits(
  units: readonly Map<string, string>[],
  header: readonly string[],
  writer: MarkdownWriter,
): void {
  const texts = units.reduce((sum, unit) => sum + unit.size, 0);
  if (units.length * header.length <= texts * MOST_EMPTY + ALWAYS_ALLOWED) {
    const rows = units.map((one) => header.map((language) => one.get(language) ?? ''));
    writeTable({ rows: [[...header], ...rows], isLayout: false }, writer);
    return;
  }
  const lines = units.map((one) => {
    const named = [...one].map(([language, text]) => `${language}: ${text}`);
    return `- ${named.join('; ')}`;
  });
  writer.verbatim(lines.join('\n'));
}

function addText(unit: Map<string, string>, column: string, text: string): void {
  if (text === '') return;
  const before = unit.get(column);
  unit.set(column, before === undefined ? text : `${before} ${text}`);
}

const languagesOf = (
  { 'source-language': source, 'target-language': target, srcLang, trgLang }: XmlAttributes,
  before: { readonly source: string; readonly target: string },
) => ({
  source: inOneLine(source ?? srcLang ?? before.source) || 'source',
  target: inOneLine(target ?? trgLang ?? before.target) || 'target',
});
