/**
 * Asks the real service for sentences that only one document of a folder says, and counts how many are found, and on
 * the right page.
 */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { tellProgress } from '../../scripts/help.ts';
import { secondsOf } from '../bookkeeping.ts';
import { type Service, startService } from '../service.ts';
import { makePlanted } from './planted.ts';
import { readShipped, type Shipped, sentencesSaidOnce } from './said-once.ts';
import { printTable } from './table.ts';
import type { Expected } from './truth.ts';
import { packPlanted, writeDocuments } from './written.ts';

/** One in so many of the documents that were made is in a mail or an archive. */
const PACKED = 8;
const RESULTS = 10;
/** A passage of subtitles lasts so long at most, and its place is the time at which it begins. */
const PASSAGE_SECONDS = 60;

interface Result {
  readonly entity_id: string;
  readonly md_content: string;
  readonly metadata: { readonly place: string | null };
}

interface Judged extends Expected {
  /** This is the rank of the first result of the record, from 0, or -1. */
  readonly rank: number;
  readonly isPlaceRight: boolean;
  readonly results: readonly Result[];
}

export async function measureFound({ list }: { readonly list: boolean }): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'quarry-bench-'));
  try {
    const folder = join(dir, 'documents');
    mkdirSync(folder);
    const expected = await fillFolder(folder, dir);
    const service = await startService(join(dir, 'data'));
    try {
      await connect(service, folder);
      const judged: Judged[] = [];
      for (const one of expected) judged.push(judge(one, await search(service, one.sentence)));
      printFound(judged);
      if (list) for (const one of judged) printMiss(one);
    } finally {
      await service.stop();
    }
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** Returns what must be found. `dir` is a folder beside that of the documents. */
async function fillFolder(folder: string, dir: string): Promise<Expected[]> {
  const { planted, unclear } = await makePlanted();
  for (const { path } of unclear)
    console.log(`pdftotext does not find the sentence of ${path} on one page`);
  const isPacked = (_: unknown, i: number) => i % PACKED === PACKED - 1;
  const single = planted.filter((one, i) => !isPacked(one, i));
  mkdirSync(join(folder, 'made'));
  const made = single.map(({ made: { path, recipe }, sentence, place }): Expected => {
    const record = `made/${basename(path)}`;
    copyFileSync(path, join(folder, record));
    return { kind: recipe.kind, record, sentence, place };
  });
  const packed = await packPlanted(planted.filter(isPacked), join(folder, 'packed'));
  const written = writeDocuments(join(folder, 'written'));
  const shipped = await addShipped(folder, dir);
  return [...made, ...packed, ...written, ...shipped];
}

/** Documents without a sentence of their own stay in the folder, where they make the search harder. */
async function addShipped(folder: string, dir: string): Promise<Expected[]> {
  tellProgress('reading documents of /usr/share/doc');
  const unpacked = join(dir, 'unpacked');
  mkdirSync(unpacked);
  const documents = await readShipped(unpacked);
  mkdirSync(join(folder, 'shipped'));
  const records = new Map<Shipped, string>();
  for (const [i, document] of documents.entries()) {
    const record = `shipped/${i}-${basename(document.path)}`;
    copyFileSync(document.path, join(folder, record));
    records.set(document, record);
  }
  const once = sentencesSaidOnce(documents);
  const without = new Set(documents).difference(new Set(once.map(({ document }) => document)));
  const kinds = [...Map.groupBy(without, ({ kind }) => kind)].map(
    ([kind, all]) => `${all.length} ${kind}`,
  );
  console.log(
    `Debian: ${documents.length} documents, ${without.size} of them without a sentence of their own (${kinds.join(', ')})`,
  );
  return once.map(({ document, sentence, place }) => ({
    ...{ kind: `${document.kind} of Debian`, record: records.get(document) ?? '', sentence, place },
  }));
}

async function connect(service: Service, folder: string): Promise<void> {
  await service.call('POST', '/v1/collections', { name: 'Bench', readable_id: 'bench' });
  tellProgress('sync');
  const { id } = await service.call('POST', '/v1/source-connections', {
    ...{ name: 'documents', short_name: 'files', readable_collection_id: 'bench' },
    ...{ schedule: { cron: null }, config: { path: folder } },
  });
  const job = await service.settled(id);
  const { entities_inserted, entities_skipped, entities_failed } = job;
  console.log(
    `sync: ${entities_inserted} records in ${secondsOf(job).toFixed(0)} s, ${entities_skipped} skipped, ${entities_failed} failed\n`,
  );
}

async function search(service: Service, query: string): Promise<readonly Result[]> {
  const { results } = await service.call('POST', '/v1/collections/bench/search', {
    ...{ query, limit: RESULTS, generate_answer: false },
  });
  return results;
}

const recordOf = ({ entity_id }: Result): string => entity_id.replace(/__chunk_\d+$/, '');

function judge(expected: Expected, results: readonly Result[]): Judged {
  const rank = results.findIndex((result) => recordOf(result) === expected.record);
  const place = results[rank]?.metadata.place ?? null;
  return { ...expected, rank, results, isPlaceRight: isRight(place, expected.place) };
}

function isRight(place: string | null, expected: string | null): boolean {
  if (expected === null || !expected.startsWith('time ')) return place === expected;
  const late = secondsIn(expected) - secondsIn(place ?? '');
  return late >= 0 && late < PASSAGE_SECONDS;
}

/** Returns not a number for a place that is not a time. */
function secondsIn(place: string): number {
  const [hours, minutes, seconds] = place
    .replace(/^time /, '')
    .split(':')
    .map(Number);
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
}

function printFound(judged: readonly Judged[]): void {
  const row = (kind: string, all: readonly Judged[]) => {
    const placed = all.filter(({ place }) => place !== null);
    const right = placed.filter(({ isPlaceRight }) => isPlaceRight).length;
    return [
      kind,
      String(all.length),
      String(all.filter(({ rank }) => rank === 0).length),
      String(all.filter(({ rank }) => rank >= 0).length),
      placed.length === 0 ? '' : `${right} of ${placed.length}`,
    ];
  };
  const kinds = Map.groupBy(judged, ({ kind }) => kind);
  printTable(
    ['kind', 'documents', 'found first', `found in ${RESULTS}`, 'right place'],
    [...[...kinds].map(([kind, all]) => row(kind, all)), row('all', judged)],
  );
}

function printMiss(judged: Judged): void {
  const { record, sentence, place, rank, isPlaceRight, results } = judged;
  if (rank === 0 && (place === null || isPlaceRight)) return;
  const where = rank === -1 ? 'not found' : `result ${rank + 1}`;
  console.log(`\n${record}, ${place ?? 'no place'}: ${where}\n  ${sentence}`);
  const came = new Set([results[0], results[rank]]);
  for (const result of came) {
    if (result === undefined) continue;
    const text = result.md_content.replaceAll(/\s+/g, ' ').slice(0, 300);
    console.log(`  came: ${recordOf(result)}, ${result.metadata.place ?? 'no place'}: ${text}`);
  }
}
