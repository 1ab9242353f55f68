/** Turns XLSX into Markdown. */
import type { Convert } from '../convert.ts';
import { openPackage } from '../office/package.ts';
import { sheetsToMarkdown } from '../office/sheets/markdown.ts';

/** Caches of pivot tables have the data of sheets a second time. */
const isWanted = (name: string) => /\.(?:xml|rels)$/i.test(name) && !/\/pivot/i.test(name);

/** A sheet may have a million rows. */
const isStreamed = (name: string) => /(?:^|\/)worksheets\/[^/]+\.xml$/i.test(name);

export const convert: Convert = async (bytes) =>
  sheetsToMarkdown(openPackage(bytes, { what: 'XLSX', oldFormat: 'XLS', isWanted, isStreamed }));
