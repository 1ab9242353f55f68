/**
 * Finds what a file of an old Office format really is. Many programs write HTML, RTF, text or a newer format into a file
 * that is called DOC or XLS, because Office opens it all the same.
 */
import { isCompoundFile } from './compound/signature.ts';
import { HEAD_BYTES } from './decide.ts';
import { asciiHeadOf } from './kinds.ts';
import { mailFormOf } from './mail/recognize.ts';
import { decodeText } from './plain.ts';

export type RealForm =
  | 'compound'
  | 'biff'
  | 'zip'
  | 'rtf'
  | 'xml'
  | 'html'
  | 'page'
  | 'text'
  | 'unknown';

export function realForm(bytes: Uint8Array): RealForm {
  const head = bytes.subarray(0, HEAD_BYTES);
  if (isCompoundFile(head)) return 'compound';
  if (isBiff(head)) return 'biff';
  const beginning = asciiHeadOf(head);
  if (beginning.startsWith('PK\x03\x04')) return 'zip';
  const start = beginning.trimStart();
  if (start.startsWith('{\\rtf')) return 'rtf';
  if (/^<\?xml\s/.test(start) && !/<html[\s>]/i.test(start)) return 'xml';
  if (/^MIME-Version:/i.test(start) || mailFormOf(start) !== null) return 'page';
  if (decodeText(head) === null) return 'unknown';
  return start.startsWith('<') ? 'html' : 'text';
}

/** Workbooks before Excel 5 are a sequence of records, the first of which has 4 to 16 bytes (MS-XLS, section 2.4.21). */
const isBiff = ([id, version, size, high]: Uint8Array): boolean =>
  id === 0x09 &&
  [0x00, 0x02, 0x04, 0x08].includes(version ?? -1) &&
  (size ?? 99) <= 16 &&
  high === 0;
