/** The converter of each kind, which is loaded when the first document of the kind comes. */
import type { Convert } from './convert.ts';
import type { ParsedKind } from './kinds/table.ts';

export const CONVERTERS: Record<ParsedKind, () => Promise<{ readonly convert: Convert }>> = {
  html: () => import('./kinds/html.ts'),
  pdf: () => import('./kinds/pdf.ts'),
  docx: () => import('./kinds/docx.ts'),
  pptx: () => import('./kinds/pptx.ts'),
  xlsx: () => import('./kinds/xlsx.ts'),
  odt: () => import('./kinds/odt.ts'),
  odp: () => import('./kinds/odp.ts'),
  ods: () => import('./kinds/ods.ts'),
  epub: () => import('./kinds/epub.ts'),
  eml: () => import('./kinds/eml.ts'),
  mbox: () => import('./kinds/mbox.ts'),
  ics: () => import('./kinds/ics.ts'),
  vcf: () => import('./kinds/vcf.ts'),
  rtf: () => import('./kinds/rtf.ts'),
  zip: () => import('./kinds/zip.ts'),
  tar: () => import('./kinds/tar.ts'),
  gzip: () => import('./kinds/gzip.ts'),
  ipynb: () => import('./kinds/ipynb.ts'),
  subtitles: () => import('./kinds/subtitles.ts'),
  svg: () => import('./kinds/svg.ts'),
  xml: () => import('./kinds/xml.ts'),
  xls: () => import('./kinds/xls.ts'),
  doc: () => import('./kinds/doc.ts'),
  msg: () => import('./kinds/msg.ts'),
  ppt: () => import('./kinds/ppt.ts'),
  image: () => import('./kinds/image.ts'),
};
