/** Writes the parts of a line of the Atlassian Document Format: texts with marks, mentions, dates, links and the like. */
import { z } from 'zod';
import type { MarkdownWriter } from '../../documents/markdown-writer.ts';
import { text } from '../kit/lenient.ts';
import type { AdfNode } from './adf.ts';

/** Returns the name of the person with this account, or ''. */
export type AdfNames = (accountId: string) => string;

interface Line {
  readonly writer: MarkdownWriter;
  readonly names: AdfNames;
}

/** Returns false for a node that is not a part of a line. */
export function writeInline(node: AdfNode, { writer, names }: Line): boolean {
  const { type, attrs } = node;
  const said = (name: string) => (typeof attrs[name] === 'string' ? attrs[name] : '');
  switch (type) {
    case 'text':
      writeMarked(node, writer);
      return true;
    case 'hardBreak':
      writer.newLine();
      return true;
    case 'mention':
      writer.text(`@${names(said('id')) || said('text').replace(/^@/, '') || 'somebody'}`);
      return true;
    case 'emoji':
      writer.text(said('text') || said('shortName'));
      return true;
    case 'date':
      writer.text(dayOf(attrs.timestamp));
      return true;
    case 'status':
    case 'placeholder':
      writer.text(said('text'));
      return true;
    case 'inlineCard':
    case 'blockCard':
    case 'embedCard':
      writer.text(said('url') || cardOf(attrs.data));
      return true;
    default:
      return false;
  }
}

/** Code and links are written; other marks do not change what a text says. */
function writeMarked({ text: said, marks }: AdfNode, writer: MarkdownWriter): void {
  const words = said.trim();
  const link = marks.find(({ type }) => type === 'link');
  const target = targetOf(link?.attrs.href);
  const isCode = words !== '' && marks.some(({ type }) => type === 'code');
  const shown = isCode ? `\`${words}\`` : words;
  const isLink = words !== '' && target !== null && target !== words;
  const marked = isLink ? `[${shown}](${target})` : shown;
  // White space around a text stays outside of its marks.
  const lines = said.replace(words, () => marked).split('\n');
  for (const [i, line] of lines.entries()) {
    if (i > 0) writer.newLine();
    writer.text(line);
  }
}

function targetOf(href: unknown): string | null {
  const url = typeof href === 'string' ? URL.parse(href) : null;
  if (!url || !['http:', 'https:', 'mailto:'].includes(url.protocol)) return null;
  return url.href.replaceAll('(', '%28').replaceAll(')', '%29');
}

/** A card without an address of its own has a description of what it shows (https://schema.org). */
function cardOf(data: unknown): string {
  const { url, name } = Card.parse(data);
  return [name, url].filter(Boolean).join(' ');
}
const Card = z.object({ url: text, name: text }).catch({ url: '', name: '' });

/** The time is in milliseconds since 1970, as a text. */
function dayOf(timestamp: unknown): string {
  const date = new Date(Number(timestamp));
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 10);
}
