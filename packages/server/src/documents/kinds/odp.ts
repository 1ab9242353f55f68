/** Turns presentations of OpenDocument into Markdown. */
import type { Convert } from '../convert.ts';
import { odfSlidesToMarkdown } from '../office/odf/slides.ts';

export const convert: Convert = async (bytes) => odfSlidesToMarkdown(bytes, 'ODP');
