/**
 * `npm run bench:grep [-- --records 100000]` measures how long the lines of many records are searched by regular
 * expressions: the first page, and all pages to the end.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { answerHelp, tellProgress } from '../scripts/help.ts';
import { pair } from './latency.ts';
import { startService } from './service.ts';

/** A push takes this many records at most. */
const PUSHED = 500;
/** A word of this list is in each record, and `NEEDLE` is in every ten thousandth. */
const WORDS =
  'harbour berth water calm wind crew anchor rope light signal cargo chart tide gull pilot'.split(
    ' ',
  );
const NEEDLE = 'ECONNREFUSED 4711';

const ASKED = [
  { pattern: NEEDLE },
  { pattern: 'econnrefused', ignore_case: true },
  { pattern: 'ECONNREFUSED|ETIMEDOUT' },
  { pattern: 'no such text at all' },
  { pattern: 'ECONN\\w+ \\d+' },
  { pattern: '[Ee]conn[a-z]+ [0-9]{9}' },
] as const;

answerHelp(import.meta.filename);
const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '100000' },
    'database-url': { type: 'string' },
  },
});
const records = Number(values.records);
console.log(`${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model}`);
console.log(`Node ${process.versions.node}; ${records} records of about 110 words\n`);

const dir = mkdtempSync(join(tmpdir(), 'quarry-bench-'));
const url = values['database-url'];
const service = await startService(
  join(dir, 'data'),
  ['--no-sample'],
  url === undefined ? {} : { DATABASE_URL: url },
);
try {
  await service.call('POST', '/v1/collections', { name: 'Bench', readable_id: 'bench' });
  const { id } = await service.call('POST', '/v1/source-connections', {
    name: 'Bench pushes',
    short_name: 'push',
    readable_collection_id: 'bench',
  });
  for (let from = 0; from < records; from += PUSHED) {
    tellProgress(`${from} of ${records} records`);
    const entities = Array.from({ length: Math.min(PUSHED, records - from) }, (_, i) =>
      record(from + i),
    );
    await service.call('POST', `/v1/source-connections/${id}/entities`, { entities });
    await service.settled(id);
  }
  console.log(`  load average ${loadavg()[0]?.toFixed(1)}`);
  for (const body of ASKED) {
    const started = performance.now();
    let first: { readonly ms: number; readonly share: unknown } | undefined;
    let pages = 0;
    let lines = 0;
    for (let after: string | null | undefined; after !== null; pages++) {
      const answer = await service.call('POST', '/v1/collections/bench/contents/grep', {
        ...{ limit: 1000, ...body },
        ...(after && { after }),
      });
      after = answer.next;
      for (const found of answer.records) lines += found.lines.length;
      first ??= { ms: performance.now() - started, share: answer.looked_at };
    }
    const all = performance.now() - started;
    console.log(
      `  ${JSON.stringify(body).padEnd(52)} first page ${first?.ms.toFixed(0)} ms, looked at ${first?.share ?? '?'}; all ${pair(pages, lines, 0)} pages/lines in ${(all / 1000).toFixed(1)} s`,
    );
  }
} finally {
  await service.stop();
  rmSync(dir, { recursive: true });
}

function record(i: number) {
  const words = Array.from({ length: 110 }, (_, k) => WORDS[(i * 7 + k * k) % WORDS.length]);
  words[50] = `log-${i}`;
  if (i % 10_000 === 17) words[60] = NEEDLE;
  const lines = Array.from({ length: 10 }, (_, k) => words.slice(k * 11, k * 11 + 11).join(' '));
  return { entity_id: `r${i}`, name: `Record ${i}`, text: lines.join('\n') };
}
