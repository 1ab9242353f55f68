/** Turns DOCX into Markdown. */
import type { Convert } from '../convert.ts';
import { openPackage } from '../office/package.ts';
import { wordToMarkdown } from '../office/word/markdown.ts';

export const convert: Convert = async (bytes, container) =>
  wordToMarkdown(openPackage(bytes, { what: 'DOCX', oldFormat: 'DOC' }), container);
