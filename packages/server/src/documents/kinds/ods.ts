/** Turns spreadsheets of OpenDocument into Markdown. */
import type { Convert } from '../convert.ts';
import { odfSheetsToMarkdown } from '../office/odf/sheets.ts';

export const convert: Convert = async (bytes) => odfSheetsToMarkdown(bytes, 'ODS');
