/** These are small files of each kind, which the mutants are made of. */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { strToU8 } from 'fflate';
import type { DocumentKind } from '../../../documents/kinds/table.ts';
import { tarFile, zipFile } from '../archive-file.ts';
import { compoundFile } from '../compound-file.ts';
import { filePart, mailFile, mailOf, multipart, textPart } from '../mail-file.ts';
import { pdfFile } from '../pdf-file.ts';
import { pptCell, pptFile, pptTable } from '../ppt-file.ts';
import { docx, epub, odp, ods, odt, pptx, xlsx } from './office-samples.ts';
import * as texts from './text-samples.ts';

export interface Sample {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const made = (name: string, content: string | Uint8Array): Sample => ({
  name,
  bytes: typeof content === 'string' ? strToU8(content) : content,
});

const file = (name: string): Sample =>
  made(name, readFileSync(new URL(`../files/${name}`, import.meta.url)));

const html = made('a.html', texts.HTML);
const packedDocuments = [
  { name: 'notes/a.html', content: texts.HTML },
  { name: 'b.docx', content: docx },
  { name: 'c.txt', content: 'Plain text.' },
];

const message = mailOf(
  multipart('mixed', [
    multipart('alternative', [
      textPart('Dear Ben,\r\n\r\n> We said\r\n12 euros.'),
      textPart(texts.HTML, 'text/html'),
    ]),
    filePart('plan.docx', Buffer.from(docx).toString('latin1')),
    filePart('=?utf-8?Q?Br=C3=BCcke.txt?=', 'Inside.'),
    {
      head: ['Content-Type: message/rfc822'],
      body: mailFile([], 'The forwarded text.').toString('latin1'),
    },
  ]),
);

const pptCells = ['a', 'b', 'c', ''].map((text, i) =>
  pptCell(text, [i % 2, i >> 1, (i % 2) + 1, (i >> 1) + 1]),
);

/** These are the properties of a message of Outlook (MS-OXPROPS) by their numbers: subject, text, sender and address. */
const outlookMessage = compoundFile({
  '__properties_version1.0': Buffer.alloc(48),
  ...outlookTexts({
    '0037': 'Offer for the Grüne Brücke',
    '1000': 'Dear Ben,\r\n12 euros.',
    '0042': 'Ann Miller',
    '5D02': 'ann@example.org',
  }),
  '__recip_version1.0_#00000000': {
    '__properties_version1.0': Buffer.alloc(24),
    ...outlookTexts({ '3001': 'Ben', '39FE': 'ben@example.org' }),
  },
  '__attach_version1.0_#00000000': {
    '__properties_version1.0': Buffer.alloc(24),
    ...outlookTexts({ '3707': 'plan.html' }),
    '__substg1.0_37010102': Buffer.from(texts.HTML),
  },
});

function outlookTexts(properties: Readonly<Record<string, string>>): Record<string, Buffer> {
  return Object.fromEntries(
    Object.entries(properties).map(([number, text]) => [
      `__substg1.0_${number}001F`,
      Buffer.from(text, 'utf16le'),
    ]),
  );
}

/** The other kinds are read only where text recognition or a model for speech is set up. */
export type FuzzedKind = Exclude<DocumentKind, 'image' | 'recording'>;

export const SAMPLES: Readonly<Record<FuzzedKind, readonly Sample[]>> = {
  html: [html],
  pdf: [
    made(
      'a.pdf',
      pdfFile(
        [
          ['Bridges', { text: 'Stone', size: 20, font: 'bold' }, 'They last.'],
          [{ text: 'let x = 1;', font: 'code' }, 'The end.'],
        ],
        [{ title: 'Bridges', page: 0, inner: [{ title: 'Stone', page: 0, y: 700 }] }],
      ),
    ),
  ],
  docx: [made('a.docx', docx)],
  pptx: [made('a.pptx', pptx)],
  xlsx: [made('a.xlsx', xlsx)],
  odt: [made('a.odt', odt), file('bridges.fodt')],
  odp: [made('a.odp', odp)],
  ods: [made('a.ods', ods), file('budget.fods')],
  epub: [made('a.epub', epub)],
  eml: [made('a.eml', message), made('b.eml', mailFile([], 'Dear Ben,\r\n\r\n12 euros.'))],
  mbox: [
    made(
      'a.mbox',
      Buffer.concat(
        [message, mailFile([], '>From here'), mailFile([], 'Three')].flatMap((one) => [
          Buffer.from('From ann@example.org Mon Mar  3 10:00:00 2025\n'),
          one,
          Buffer.from('\n\n'),
        ]),
      ),
    ),
  ],
  ics: [made('a.ics', texts.CALENDAR)],
  vcf: [made('a.vcf', texts.CONTACTS)],
  rtf: [file('bridges.rtf')],
  zip: [made('a.zip', zipFile(packedDocuments))],
  tar: [made('a.tar', tarFile(packedDocuments))],
  gzip: [
    made('a.tgz', gzipSync(tarFile(packedDocuments))),
    made('a.html.gz', gzipSync(texts.HTML)),
  ],
  ipynb: [made('a.ipynb', texts.NOTEBOOK)],
  subtitles: [made('a.srt', texts.SUBRIP), made('a.vtt', texts.WEBVTT)],
  xls: [file('budget.xls')],
  doc: [file('bridges.doc')],
  msg: [made('a.msg', outlookMessage)],
  ppt: [
    made(
      'a.ppt',
      pptFile([
        { outline: [{ type: 0, text: 'Bridges' }], notes: 'Speak slowly.' },
        { boxes: [{ type: 1, text: 'Brücken – 桥' }, pptTable(pptCells)] },
      ]),
    ),
  ],
  svg: [made('a.svg', texts.DRAWING), made('b.svgz', gzipSync(texts.DRAWING))],
  xml: Object.entries(texts.XML).map(([extension, text]) => made(`a.${extension}`, text)),
};

export const FUZZED_KINDS = Object.keys(SAMPLES) as readonly FuzzedKind[];
