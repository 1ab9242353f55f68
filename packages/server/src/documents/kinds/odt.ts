/** Turns text documents of OpenDocument into Markdown. */
import type { Convert } from '../convert.ts';
import { odfTextToMarkdown } from '../office/odf/text-document.ts';

export const convert: Convert = async (bytes) => odfTextToMarkdown(bytes, 'ODT');
