/**
 * `npm run bench:saved [-- --files 1000] [--saves 150]` measures the time from the moment at which a file is saved in a
 * watched folder until a search over HTTP finds it. New files, changed files and deleted ones take turns, so two thirds are saves.
 *
 * The folder has files of about 110 words in many folders. The next file is saved half a second after the last one was
 * found, so that each save begins a look of its own. A search is asked again as soon as it is answered, so the time
 * includes one search, whose own time is shown beside.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { answerHelp } from '../scripts/help.ts';
import { writeCorpus } from './corpus.ts';
import { percentile, startService } from './service.ts';

const PAUSE_MS = 500;
const COLLECTION = 'bench';

answerHelp(import.meta.filename);
const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '1000' },
    saves: { type: 'string', default: '150' },
  },
});
const [files, saves] = [Number(values.files), Number(values.saves)];

const dir = mkdtempSync(join(tmpdir(), 'quarry-bench-'));
const folder = join(dir, 'files');
const service = await startService(join(dir, 'data'), undefined, { QUARRY_WATCH: 'true' });
try {
  writeCorpus(folder, { files, seed: 1, sections: 1 });
  await service.call('POST', '/v1/collections', { name: 'Bench', readable_id: COLLECTION });
  const { id } = await service.call('POST', '/v1/source-connections', {
    name: 'Files',
    short_name: 'files',
    readable_collection_id: COLLECTION,
    config: { path: folder },
    schedule: { cron: null },
  });
  await service.settled(id);
  const before = loadavg()[0] ?? 0;
  const { written, deleted } = await saved();
  const searches: number[] = [];
  for (let i = 0; i < 20; i++)
    searches.push(await service.search(COLLECTION, `saved${i}`, 'keyword'));
  const jobs = await service.call('GET', `/v1/source-connections/${id}/jobs?limit=1000`);
  console.log(`${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model}`);
  console.log(`Node ${process.versions.node}; load ${before.toFixed(1)}`);
  console.log(`${saves} changes in a folder of ${files.toLocaleString('en')} files`);
  show('from the save until it is found', written);
  show('from the deletion until it is gone', deleted);
  console.log(`of which the last search: p50 ${percentile(searches, 0.5).toFixed(0)} ms`);
  console.log(`syncs: ${jobs.length - 1}`);
} finally {
  await service.stop();
  rmSync(dir, { recursive: true });
}

function show(what: string, times: readonly number[]): void {
  const ms = (share: number) => `${percentile(times, share).toFixed(0)} ms`;
  console.log(`${what}: p50 ${ms(0.5)}, p95 ${ms(0.95)}, max ${ms(1)}`);
}

async function saved() {
  const [written, deleted]: [number[], number[]] = [[], []];
  for (let i = 0; i < saves; i++) {
    await sleep(PAUSE_MS);
    // Every third save is a new file, the next one changes it, and the last one deletes it.
    const path = join(folder, `saved-${Math.floor(i / 3)}.md`);
    const word = `saved${i}`;
    const isDeleted = i % 3 === 2;
    const start = performance.now();
    if (isDeleted) rmSync(path);
    else writeFileSync(path, `A text with the word ${word}.\n`);
    const query = isDeleted ? `saved${i - 1}` : word;
    while ((await isFound(query)) === isDeleted);
    (isDeleted ? deleted : written).push(performance.now() - start);
  }
  return { written, deleted };
}

async function isFound(query: string): Promise<boolean> {
  const { results } = await service.call('POST', `/v1/collections/${COLLECTION}/search`, {
    query,
    retrieval_strategy: 'keyword',
    expand_query: false,
    generate_answer: false,
    rerank: false,
  });
  return results.length > 0;
}
