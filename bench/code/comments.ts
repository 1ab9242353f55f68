/** Finds the comments of source code, in the forms of many languages, and their first sentences. */
import type { Definition } from './tags.ts';

/** Lines are counted from 1; `last` belongs to the comment. */
export interface Comment {
  readonly first: number;
  readonly last: number;
}

/** A directive of the C preprocessor begins with the sign of other languages' comments. */
const DIRECTIVES =
  '(?:if|ifn?def|elif|else|endif|define|undef|include|pragma|error|region|endregion)\\b';
const MARK = new RegExp(`^\\s*(?://[/!]?|#(?![![]|${DIRECTIVES})|--(?!\\[))\\s?`);
const ATTRIBUTE = /^\s*(?:@\w|#\[|\[\w|template\b)/;

/** Returns the comment directly above the definition, or the docstring below its head; null if it has neither. */
export function documentationOf(
  lines: readonly string[],
  { line, end }: Definition,
): Comment | null {
  return docstring(lines, line, end) ?? commentAbove(lines, line);
}

function commentAbove(lines: readonly string[], line: number): Comment | null {
  const at = (n: number) => lines[n - 1] ?? '';
  let last = line - 1;
  while (last > line - 6 && ATTRIBUTE.test(at(last)) && !MARK.test(at(last))) last--;
  if (MARK.test(at(last))) {
    let first = last;
    while (MARK.test(at(first - 1))) first--;
    return { first, last };
  }
  if (/\*\/\s*$/.test(at(last))) return blockAbove(at, last, /^\s*\/\*/);
  while (last > line - 3 && at(last).trim() === '') last--;
  return at(last) === '=cut' ? blockAbove(at, last, /^=head/) : null;
}

const LONGEST_BLOCK = 120;

function blockAbove(at: (n: number) => string, last: number, opening: RegExp): Comment | null {
  for (let first = last; first > Math.max(0, last - LONGEST_BLOCK); first--)
    if (opening.test(at(first))) return { first, last };
  return null;
}

const QUOTES = /^\s*[rRuUbB]{0,2}("""|''')/;

/** Returns the docstring of Python, which is the first statement of the body. */
function docstring(lines: readonly string[], line: number, end: number): Comment | null {
  let head = line;
  while (head < line + 12 && head < end && !/:\s*(?:#.*)?$/.test(lines[head - 1]!)) head++;
  const quotes = QUOTES.exec(lines[head] ?? '')?.[1];
  if (quotes === undefined) return null;
  const opening = lines[head]!;
  if (opening.indexOf(quotes, opening.indexOf(quotes) + 3) > 0)
    return { first: head + 1, last: head + 1 };
  for (let last = head + 2; last <= end; last++)
    if (lines[last - 1]!.includes(quotes)) return { first: head + 1, last };
  return null;
}

/** Returns the comments of whole lines between these lines, each as long as it goes on with the same indentation. */
export function commentsBetween(lines: readonly string[], first: number, last: number): Comment[] {
  const found: Comment[] = [];
  for (let line = first; line <= last; line++) {
    if (!MARK.test(lines[line - 1]!)) continue;
    const begin = line;
    while (line < last && MARK.test(lines[line]!)) line++;
    found.push({ first: begin, last: line });
  }
  return found;
}

/** Returns the first sentence of a comment without its marks, or '' when the comment is not running text. */
export function sentenceOf(lines: readonly string[], { first, last }: Comment): string {
  const texts = lines.slice(first - 1, last).map((line) =>
    line
      .replace(/^=head\d.*|^=cut$|^=over.*|^=item/, '')
      .replace(MARK, '')
      .replace(/^\s*(?:\/\*+!?|\*+\/|\*)/, '')
      .replace(/\*+\/\s*$/, '')
      .replace(/[rRuUbB]{0,2}("""|''')/g, '')
      .replace(/<[^<>]*>/g, ' ')
      .trim(),
  );
  const begin = texts.findIndex((text) => text !== '');
  if (begin < 0) return '';
  const stop = texts.findIndex(
    (text, i) => i > begin && (text === '' || /^[@:\\]|^-{3}/.test(text)),
  );
  const paragraph = texts.slice(begin, stop < 0 ? undefined : stop).join(' ');
  const sentence = /^.*?[.!?](?=\s|$)/.exec(paragraph)?.[0] ?? paragraph;
  return isProse(sentence) ? sentence : '';
}

const isProse = (text: string): boolean =>
  !/licen[cs]e|copyright|https?:|[{};=]|TODO|FIXME|XXX|eslint|pylint|clang-format|noqa/i.test(
    text,
  ) && (text.match(/[A-Za-z]{2,}/g)?.length ?? 0) >= 5;
