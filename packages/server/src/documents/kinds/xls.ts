/** Turns a workbook of an old form of Excel into Markdown, or what is called one by its name. */
import { zipSync } from 'fflate';
import { isEncryptedPackage, readCompound } from '../compound/file.ts';
import type { Container, Convert, Converted } from '../convert.ts';
import { delimitedToMarkdown } from '../delimited.ts';
import { unpackParts } from '../office/parts.ts';
import type { Omission } from '../omission.ts';
import { decodeText } from '../plain.ts';
import { realForm } from '../real-form.ts';
import { brokenWorkbook, convertWorkbook, protectedWorkbook } from '../workbook.ts';
import { decodeXml } from '../xml/parse.ts';

export const convert: Convert = async (bytes, container) => {
  switch (realForm(bytes)) {
    case 'compound':
      return convertCompound(bytes);
    case 'biff':
      return convertWorkbook(bytes);
    case 'zip':
      return convertPackage(bytes, container);
    case 'html':
      return container.convertAs('html', bytes);
    case 'page':
      return container.convertAs('eml', bytes, 'a.mht');
    case 'xml':
      return convertWorkbook(decodeXml(bytes) ?? '');
    case 'text':
      return { text: delimitedToMarkdown(decodeText(bytes) ?? '') };
    default:
      throw brokenWorkbook();
  }
};

function convertCompound(bytes: Uint8Array): Converted | Omission {
  if (isEncryptedPackage(readCompound(bytes))) throw protectedWorkbook();
  return convertWorkbook(bytes);
}

/** An archive without the workbook of an XLSX is an XLSB or an ODS. */
async function convertPackage(
  bytes: Uint8Array,
  container: Container,
): Promise<Converted | Omission> {
  const isWanted = (name: string) => /\bworkbook\.xml$/i.test(name);
  const isXlsx = Object.keys(unpackParts(bytes, { what: 'XLSB', isWanted })).length > 0;
  return isXlsx ? container.convertAs('xlsx', bytes) : convertWorkbook(repacked(bytes));
}

/** The library unpacks without limits, so it gets an archive that is unpacked within limits, and not packed. */
function repacked(bytes: Uint8Array): Uint8Array {
  const isWanted = (name: string) => /\.(?:xml|rels|bin)$/i.test(name);
  return zipSync(unpackParts(bytes, { what: 'XLSB', isWanted }), { level: 0 });
}
