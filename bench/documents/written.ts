/** Writes mails, archives and small documents with sentences that no other document says. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import {
  filePart,
  mailOf,
  multipart,
  textPart,
} from '../../packages/server/src/test/documents/mail-file.ts';
import { sentencesOf } from '../../packages/server/src/test/documents/sentences.ts';
import type { Planted } from './planted.ts';
import { run } from './programs.ts';
import { createSentences } from './sentences.ts';
import type { Expected } from './truth.ts';
import { xmlText } from './write-source.ts';

const SEED = 40;
const OF_EACH = 4;
/** A document has so many sentences, one of which is planted. */
const SENTENCES = 24;
const CUE_SECONDS = 7;
const SEPARATOR = 'From ann@example.org Mon Mar  3 10:00:00 2025\n';

type Sentences = readonly string[];

/** Writes a document of these sentences, `at` of which is asked for. */
interface Format {
  readonly kind: string;
  readonly write: (sentences: Sentences) => string | Buffer;
  /** Returns the record and the place of the sentence with this index; without it, it is the file itself. */
  readonly record?: (path: string, at: number) => string;
  readonly place?: (at: number) => string;
}

const FORMATS: readonly Format[] = [
  { kind: 'txt', write: (all) => paragraphs(all) },
  { kind: 'md', write: (all) => `# Notes\n\n${all.map((one) => `- ${one}`).join('\n')}\n` },
  {
    kind: 'csv',
    write: (all) => `day,note\n${all.map((one, i) => `${i + 1},"${one}"`).join('\n')}`,
  },
  {
    kind: 'json',
    write: (all) =>
      JSON.stringify(
        all.map((note, day) => ({ day, note })),
        null,
        2,
      ),
  },
  { kind: 'ics', write: calendar },
  { kind: 'vcf', write: contacts },
  { kind: 'ipynb', write: notebook },
  { kind: 'srt', write: (all) => subtitles(all, ','), place: (at) => `time ${clock(at)}` },
  {
    kind: 'vtt',
    write: (all) => `WEBVTT\n\n${subtitles(all, '.')}`,
    place: (at) => `time ${clock(at)}`,
  },
  { kind: 'rss', write: feed },
  { kind: 'opml', write: outline },
  { kind: 'svg', write: drawing },
  { kind: 'txt.gz', write: (all) => gzipSync(paragraphs(all)) },
  { kind: 'eml', write: (all) => mailOf(textPart(paragraphs(all).replaceAll('\n', '\r\n'))) },
  {
    kind: 'mbox',
    write: mailbox,
    record: (path, at) => `${path}!/${String(at + 1).padStart(4, '0')} Letter ${at + 1}.eml`,
  },
];

/** Returns what must be found. The paths of the documents begin with the name of the folder. */
export function writeDocuments(folder: string): Expected[] {
  mkdirSync(folder);
  const sentence = createSentences(SEED);
  return FORMATS.flatMap(({ kind, write, record = (path) => path, place = () => null }) =>
    Array.from({ length: OF_EACH }, (_, n): Expected => {
      const at = (7 * n + 5) % SENTENCES;
      const all = sentencesOf('en').slice(-SENTENCES).with(at, sentence());
      const name = `${n}.${kind}`;
      writeFileSync(join(folder, name), write(all));
      const path = `${basename(folder)}/${name}`;
      return { kind, record: record(path, at), sentence: all[at] ?? '', place: place(at) };
    }),
  );
}

/** Packs documents that are not in the folder otherwise, a few into each mail and archive. */
export async function packPlanted(
  planted: readonly Planted[],
  folder: string,
): Promise<Expected[]> {
  mkdirSync(folder);
  const packs = ['zip', 'tar.gz', 'tar', 'eml'].flatMap((kind) => [`0.${kind}`, `1.${kind}`]);
  const expected: Expected[] = [];
  for (const [i, name] of packs.entries()) {
    const some = planted.filter((_, n) => n % packs.length === i);
    const paths = some.map(({ made }) => made.path);
    const path = join(folder, name);
    if (name.endsWith('zip')) await run('zip', ['-qj', path, ...paths]);
    else if (name.endsWith('eml')) writeFileSync(path, mailWith(paths));
    else
      await run('tar', [
        '-caf',
        path,
        ...paths.flatMap((one) => ['-C', join(one, '..'), basename(one)]),
      ]);
    for (const { made, sentence, place } of some) {
      const record = `${basename(folder)}/${name}!/${basename(made.path)}`;
      expected.push({ kind: `in ${name.slice(2)}`, record, sentence, place });
    }
  }
  return expected;
}

function mailWith(paths: readonly string[]): Buffer {
  const files = paths.map((path) => filePart(basename(path), readFileSync(path, 'latin1')));
  return mailOf(multipart('mixed', [textPart('The documents are attached.'), ...files]));
}

/** Puts four sentences into a paragraph. */
const paragraphs = (all: Sentences): string =>
  all.map((one, i) => one + (i % 4 === 3 ? '\n\n' : ' ')).join('');

function calendar(all: Sentences): string {
  const events = all.flatMap((one, i) => [
    ...[
      'BEGIN:VEVENT',
      `UID:${i}@example.org`,
      `DTSTART:202503${String(i + 1).padStart(2, '0')}T100000Z`,
    ],
    ...[`SUMMARY:Meeting ${i + 1}`, `DESCRIPTION:${one}`, 'END:VEVENT'],
  ]);
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:bench', ...events, 'END:VCALENDAR', ''].join(
    '\r\n',
  );
}

function contacts(all: Sentences): string {
  const cards = all.map((one, i) =>
    ['BEGIN:VCARD', 'VERSION:4.0', `FN:Person ${i + 1}`, `NOTE:${one}`, 'END:VCARD', ''].join(
      '\r\n',
    ),
  );
  return cards.join('');
}

/** Every second cell is a comment in a program. */
function notebook(all: Sentences): string {
  const cells = all.map((one, i) =>
    i % 2 === 0
      ? { cell_type: 'markdown', metadata: {}, source: [one] }
      : {
          cell_type: 'code',
          metadata: {},
          execution_count: i,
          outputs: [],
          source: [`# ${one}\n`, `x = ${i}`],
        },
  );
  return JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells });
}

const clock = (cue: number): string =>
  new Date(cue * CUE_SECONDS * 1000).toISOString().slice(11, 19);

const subtitles = (all: Sentences, point: string): string =>
  all
    .map((one, i) => `${i + 1}\n${clock(i)}${point}000 --> ${clock(i + 1)}${point}000\n${one}\n`)
    .join('\n');

function feed(all: Sentences): string {
  const items = all.map(
    (one, i) =>
      `<item><title>News ${i + 1}</title><description>${xmlText(one)}</description></item>`,
  );
  return `<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>${items.join('')}</channel></rss>`;
}

function outline(all: Sentences): string {
  const lines = all.map((one) => `<outline text="${xmlText(one)}"/>`);
  return `<?xml version="1.0"?><opml version="2.0"><head><title>List</title></head><body>${lines.join('')}</body></opml>`;
}

function drawing(all: Sentences): string {
  const texts = all.map((one, i) => `<text x="10" y="${20 * i}">${xmlText(one)}</text>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="600" height="600">${texts.join('')}</svg>`;
}

function mailbox(all: Sentences): string {
  const messages = all.map((one, i) =>
    [
      ...['From: Ann <ann@example.org>', 'To: Ben <ben@example.org>', `Subject: Letter ${i + 1}`],
      ...['Date: Mon, 3 Mar 2025 10:00:00 +0100', `Message-ID: <${i}@example.org>`, '', one, ''],
    ].join('\n'),
  );
  return messages.map((message) => `${SEPARATOR}${message}\n`).join('');
}
