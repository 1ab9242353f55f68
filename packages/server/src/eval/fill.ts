/**
 * Fills a collection with documents, in a database of its own. A sync writes them, as into any other collection, with
 * the splitter, the embedder and the index of the service.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { z } from 'zod';
import { openProcess } from '../app.ts';
import type { Config } from '../config.ts';
import type { OpenDatabase } from '../engines/choose.ts';
import { defineSource, type Source } from '../sources/define.ts';
import { listed, upsert } from '../sources/items.ts';
import { must } from '../util.ts';
import type { JudgedDocument } from './judged.ts';

export const READABLE_ID = 'judged';
const SHORT_NAME = 'judged';
const POLL_MS = 50;

/** Throws when the sync has not stored every document. `done` is called with the number of documents stored so far. */
export async function fill(
  { config, log, database }: { config: Config; log: Logger; database: OpenDatabase },
  documents: readonly JudgedDocument[],
  done: (documents: number) => void,
): Promise<void> {
  const failed = Promise.withResolvers<never>();
  const quarry = await openProcess(config, {
    log,
    database,
    threads: false,
    sources: new Map([[SHORT_NAME, sourceOf(documents)]]),
    onFatal: failed.reject,
  });
  const call = async (method: 'GET' | 'POST', url: string, payload?: object) => {
    const authorization = `Bearer ${must(quarry.key)}`;
    const answer = await quarry.api.inject({
      method,
      url,
      headers: { authorization },
      ...(payload && { payload }),
    });
    if (answer.statusCode >= 300) throw new Error(`${method} ${url}: ${answer.body}`);
    return answer.json();
  };
  const filled = async () => {
    await call('POST', '/v1/collections', { name: 'Judged', readable_id: READABLE_ID });
    const { id } = await call('POST', '/v1/source-connections', {
      name: 'Judged',
      short_name: SHORT_NAME,
      readable_collection_id: READABLE_ID,
      schedule: { cron: null },
    });
    for (;;) {
      const [job] = await call('GET', `/v1/source-connections/${id}/jobs?limit=1`);
      done(job.entities_inserted);
      if (job.completed_at !== null) return job;
      await sleep(POLL_MS);
    }
  };
  try {
    const job = await Promise.race([filled(), failed.promise]);
    if (job.status !== 'COMPLETED' || job.entities_inserted !== documents.length)
      throw new Error(
        `${job.entities_inserted} of ${documents.length} documents could be stored: ${job.error ?? job.status}`,
      );
  } finally {
    await quarry.close();
  }
}

const sourceOf = (documents: readonly JudgedDocument[]): Source =>
  defineSource({
    shortName: SHORT_NAME,
    name: 'Judged set',
    description: 'The documents of a judged set.',
    labels: [],
    auth: {},
    config: z.strictObject({}),
    entities: { JudgedDocument: z.object({}) },
    evidence: [],
    rateLimitLevel: null,
    async *pull() {
      for (const { id, title, text } of documents)
        yield upsert({ id, type: 'JudgedDocument', name: title, text, fields: {} });
      yield listed('');
    },
  });
