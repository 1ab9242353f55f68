/**
 * Sets or removes one table of a TOML text together with the tables below it; the other lines stay unchanged. `edit.ts`
 * checks the result by parsing it.
 *
 * This file edits lines so that comments stay. The library `@decimalturn/toml-patch` 3.3.0 keeps comments too, but it
 * can write a text that is not valid TOML: it copies the trailing comma of an array into inline tables.
 */
import { parse, stringify } from 'smol-toml';

/** Throws an Error that says why the text is not valid TOML. */
export function readToml(text: string): unknown {
  try {
    return parse(text, { integersAsBigInt: 'asNeeded' });
  } catch (error) {
    const [what = ''] = (error as Error).message.split('\n');
    throw new Error(`it is not TOML: ${what}`);
  }
}

/** Returns the text with `value` as the table, or without the table when `value` is undefined. */
export function editToml(
  text: string,
  [section, name]: readonly [string, string],
  value: unknown,
): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = text.split(/\r?\n/);
  const ownLines = linesOf(lines, section, name);
  const table = value === undefined ? [] : tomlLines(section, name, value);
  const [firstLine] = ownLines;
  if (firstLine === undefined) {
    if (table.length === 0) return text;
    const before = text.trim() === '' ? [] : [...trimmed(lines), ''];
    return [...before, ...table, ''].join(eol);
  }
  const others = lines.map((line, at) => (ownLines.has(at) ? [] : [line]));
  return others
    .with(Math.min(...ownLines), table)
    .flat()
    .join(eol);
}

const tomlLines = (section: string, name: string, value: unknown): string[] =>
  stringify({ [section]: { [name]: value } })
    .trimEnd()
    .split('\n');

/** Returns the indexes of the lines of the table and of the tables below it. */
function linesOf(lines: readonly string[], section: string, name: string): Set<number> {
  const found = new Set<number>();
  const headers = lines.flatMap((line, at) => {
    const path = headerIn(line);
    return path ? [{ at, isOwn: path[0] === section && path[1] === name }] : [];
  });
  for (const [i, { at, isOwn }] of headers.entries()) {
    if (!isOwn) continue;
    const end = headers[i + 1]?.at ?? lines.length;
    // Comments directly above the next header belong to the next table.
    const length = trimmed(lines.slice(at, end), /^\s*(#.*)?$/).length;
    const isNextOwn = headers[i + 1]?.isOwn === true;
    for (let line = at; line < (isNextOwn ? end : at + length); line++) found.add(line);
  }
  return found;
}

/** Returns the parts of a header, such as `a`, `b c` and `d` of `[a."b c".d]`. Returns undefined for any other line. */
function headerIn(line: string): string[] | undefined {
  if (!/^\s*\[/.test(line)) return undefined;
  try {
    const path: string[] = [];
    let table: unknown = parse(line);
    while (table && typeof table === 'object' && !Array.isArray(table)) {
      const [key] = Object.keys(table);
      if (key === undefined) break;
      path.push(key);
      table = (table as Record<string, unknown>)[key];
    }
    return path;
  } catch {
    // The line begins with a bracket, but is part of an array or of a string of several lines.
    return undefined;
  }
}

/** Returns the lines without those at the end that match `empty`. */
function trimmed(lines: readonly string[], empty = /^\s*$/): string[] {
  const last = lines.findLastIndex((line) => !empty.test(line));
  return lines.slice(0, last + 1);
}
