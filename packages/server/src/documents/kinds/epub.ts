/** Turns EPUB into Markdown. */
import type { Convert } from '../convert.ts';
import { bookToMarkdown } from '../office/book/markdown.ts';

export const convert: Convert = async (bytes) => bookToMarkdown(bytes);
