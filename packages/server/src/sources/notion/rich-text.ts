/** Writes Notion's rich text as Markdown: code, equations, links, and mentions by name. */
import { createMarkdownWriter, type MarkdownWriter } from '../../documents/markdown-writer.ts';
import type { Rich } from './answer.ts';

type RichItem = Rich[number];

/** Returns the text without marks, in one line, such as for a title. */
export const plain = (rich: Rich): string =>
  rich
    .map((item) => (item.type === 'mention' ? mentioned(item) : item.plain_text))
    .join('')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** Each line of the text begins a new line, except in a heading. */
export function writeRich(writer: MarkdownWriter, rich: Rich, { inOneLine = false } = {}): void {
  for (const item of rich)
    for (const [i, line] of markdownOf(item).split('\n').entries()) {
      if (i > 0 && inOneLine) writer.text(' ');
      else if (i > 0) writer.newLine();
      writer.text(line);
    }
}

/** Returns the text as Markdown, line by line as it was written. */
export function richMarkdown(rich: Rich): string {
  const writer = createMarkdownWriter();
  writeRich(writer, rich);
  return writer.result();
}

function markdownOf(item: RichItem): string {
  const { type, plain_text, href, annotations, equation } = item;
  if (type === 'mention') return mentioned(item);
  if (type === 'equation') return inside('$', equation?.expression ?? plain_text);
  if (annotations.code) return inside('`', plain_text);
  const target = targetOf(href);
  return target === null || target === plain_text
    ? plain_text
    : inside('[', plain_text, `](${target})`);
}

/** Notion writes the mention itself, such as @Ann, the title of a page, or a day. */
function mentioned({ plain_text, mention }: RichItem): string {
  if (plain_text.trim() !== '') return plain_text;
  const { user, date } = mention ?? {};
  if (user?.name) return `@${user.name}`;
  return date ? spanOf(date) : '';
}

export const spanOf = ({ start, end }: { readonly start: string; readonly end: string }): string =>
  end === '' ? start : `${start} → ${end}`;

/** White space around a text stays outside of its marks. */
function inside(mark: string, text: string, end = mark): string {
  const inner = text.trim();
  if (inner === '') return text;
  const from = text.length - text.trimStart().length;
  return `${text.slice(0, from)}${mark}${inner}${end}${text.slice(from + inner.length)}`;
}

/** Returns null for an address that leads nowhere outside of Notion. */
export function targetOf(href: string): string | null {
  const url = URL.parse(href);
  if (!url || !['http:', 'https:', 'mailto:'].includes(url.protocol)) return null;
  return url.href.replaceAll('(', '%28').replaceAll(')', '%29');
}
