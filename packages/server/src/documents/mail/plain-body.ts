/**
 * Turns the plain text of a message into Markdown. Its line breaks are kept, and so are the marks of quotes, which mean
 * the same in Markdown.
 */
import { textLine } from '../markdown-writer.ts';

const QUOTE = /^(?:>[ \t]?)*/;

export function plainToMarkdown(text: string): string {
  const lines: string[] = [];
  let isBelowText = false;
  for (const raw of text.split(/\r\n?|\n/)) {
    const line = raw.trim();
    const quote = QUOTE.exec(line)?.[0] ?? '';
    const said = line.slice(quote.length).trim();
    if (line === '' && lines.at(-1) === '') continue;
    const mark = quote.replaceAll(/[ \t]/g, '');
    lines.push(said === '' ? mark : `${mark}${mark && ' '}${textLine(said, isBelowText)}`);
    isBelowText = said !== '';
  }
  return lines.join('\n').trim();
}
