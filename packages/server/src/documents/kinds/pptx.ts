/** Turns PPTX into Markdown. */
import type { Convert } from '../convert.ts';
import { openPackage } from '../office/package.ts';
import { slidesToMarkdown } from '../office/slides/markdown.ts';

export const convert: Convert = async (bytes) =>
  slidesToMarkdown(openPackage(bytes, { what: 'PPTX', oldFormat: 'PPT' }));
