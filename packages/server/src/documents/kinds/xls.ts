/** Turns a workbook of an old form of Excel into Markdown, or what is called one by its name. */
import { zipSync } from 'fflate';
import { SourceError } from '../../errors.ts';
import type { Convert, Converted } from '../convert.ts';
import { delimitedToMarkdown } from '../delimited.ts';
import { unpackParts } from '../office/parts.ts';
import { decodeText } from '../plain.ts';
import { realForm } from '../real-form.ts';
import { convertWorkbook, protectedWorkbook } from '../workbook.ts';
import { convert as convertMessage } from './eml.ts';
import { convert as convertHtml } from './html.ts';

export const convert: Convert = async (bytes, container) => {
  switch (realForm(bytes)) {
    case 'compound':
      return convertCompound(bytes);
    case 'biff':
      return convertWorkbook(bytes);
    case 'zip':
      return convertWorkbook(repacked(bytes));
    case 'html':
      return convertHtml(bytes, container);
    case 'page':
      return convertMessage(bytes, { ...container, name: 'a.mht' });
    case 'xml':
      return convertWorkbook(decodeText(bytes) ?? '');
    case 'text':
      return { text: delimitedToMarkdown(decodeText(bytes) ?? '') };
    default:
      throw new SourceError('skip', 'the file is broken or is not a workbook of Excel', {
        hint: 'Open it in Excel or LibreOffice, and save it again as XLSX.',
      });
  }
};

function convertCompound(bytes: Uint8Array): Converted {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // A protected workbook of a newer form is inside of a compound file (MS-OFFCRYPTO, section 2.3.4.4).
  if (all.includes(Buffer.from('EncryptedPackage', 'utf16le'))) throw protectedWorkbook();
  return convertWorkbook(bytes);
}

/** The library unpacks without limits, so it gets an archive that is unpacked within limits, and not packed. */
function repacked(bytes: Uint8Array): Uint8Array {
  const isWanted = (name: string) => /\.(?:xml|rels|bin)$/i.test(name);
  return zipSync(unpackParts(bytes, { what: 'XLSB', isWanted }), { level: 0 });
}
