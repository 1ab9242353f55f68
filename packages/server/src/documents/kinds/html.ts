/** Turns a page of HTML into Markdown. */
import type { Convert } from '../convert.ts';
import { decodeHtml, htmlToMarkdown } from '../html.ts';

export const convert: Convert = async (bytes) => {
  const html = decodeHtml(bytes);
  return html === null ? { reason: 'binary' } : { text: htmlToMarkdown(html) };
};
