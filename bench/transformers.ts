/**
 * `npm run bench:transformers [-- --entities 5000 --rounds 5]` measures how much slower transformers make the first
 * sync of the given number of files of about 110 words. It compares a sync without transformers, one with a transformer
 * that only copies, and one with the two transformers of the system. These syncs take turns in one service, each in a
 * new collection, so that other work of the machine affects all alike.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { answerHelp, tellProgress } from '../scripts/help.ts';
import { secondsOf } from './bookkeeping.ts';
import { writeCorpus } from './corpus.ts';
import { percentile, type Service, startService } from './service.ts';

const COPY = 'export async function copy(entities, config) { return entities; }\n';
const HEADER = '0e1f7a52-6d3b-5c1e-8f27-0b6f3f6a1d01';
const REDACTION = '0e1f7a52-6d3b-5c1e-8f27-0b6f3f6a1d02';

answerHelp(import.meta.filename);
const { values } = parseArgs({
  options: {
    entities: { type: 'string', default: '5000' },
    rounds: { type: 'string', default: '5' },
  },
});
const size = Number(values.entities);
const dir = mkdtempSync(join(tmpdir(), 'quarry-bench-'));
const [files, modules] = [join(dir, 'files'), join(dir, 'modules')];
for (const folder of [files, modules]) mkdirSync(folder);
writeCorpus(files, { files: size, seed: 1, sections: 1 });
writeFileSync(join(modules, 'copy.js'), COPY);
const service = await startService(join(dir, 'data'), undefined, {
  QUARRY_TRANSFORMERS_DIR: modules,
});
try {
  await measure(service);
} finally {
  await service.stop();
  rmSync(dir, { recursive: true });
}

async function measure(service: Service): Promise<void> {
  const definitions = await service.call('GET', '/v1/entity-definitions');
  const { id: file } = definitions.find(({ name }: { name: string }) => name === 'File');
  const { id: copy } = await service.call('POST', '/v1/transformers', {
    name: 'Copy',
    method_name: 'copy',
    module_name: 'copy.js',
    input_entity_definition_ids: [file],
    output_entity_definition_ids: [file],
    config_schema: {},
  });
  const kinds: Record<string, readonly string[]> = {
    none: [],
    'one that only copies': [copy],
    'header and redaction': [HEADER, REDACTION],
  };
  const seconds = new Map<string, number[]>(Object.keys(kinds).map((kind) => [kind, []]));
  await firstSync(service, 'warm-up', []);
  for (let round = 0; round < Number(values.rounds); round++) {
    tellProgress(`round ${round + 1} of ${values.rounds}`);
    for (const [i, [kind, ids]] of Object.entries(kinds).entries())
      seconds.get(kind)?.push(await firstSync(service, `bench-${round}-${i}`, ids));
  }
  const median = (kind: string) => percentile(seconds.get(kind) ?? [], 0.5);
  console.log(`${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model}`);
  console.log(`Node ${process.versions.node}; load ${loadavg()[0]?.toFixed(1)}\n`);
  console.log(
    `| transformers, ${size.toLocaleString('en')} files | entities/s | of the rate without, % |`,
  );
  console.log('|---|---|---|');
  for (const kind of Object.keys(kinds)) {
    const share = (100 * median('none')) / median(kind);
    const rate = Math.round(size / median(kind)).toLocaleString('en');
    console.log(`| ${kind} | ${rate} | ${share.toFixed(0)} |`);
  }
}

async function firstSync(service: Service, collection: string, ids: readonly string[]) {
  await service.call('POST', '/v1/collections', { name: collection, readable_id: collection });
  const { id } = await service.call('POST', '/v1/source-connections', {
    name: 'Bench',
    short_name: 'files',
    readable_collection_id: collection,
    config: { path: files },
    transformers: ids.map((transformer_id) => ({ transformer_id, config: {} })),
  });
  const job = await service.settled(id);
  if (job.entities_inserted !== size) throw new Error(JSON.stringify(job));
  return secondsOf(job);
}
