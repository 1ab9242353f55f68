/**
 * The first start makes a sample collection: it syncs the project's own documentation and searches it, both through the
 * public API.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { packageFile } from '../installation.ts';
import { UNFINISHED } from '../model/sync-status.ts';

export interface Sample {
  readonly readableId: string;
  readonly entities: number;
  readonly query: string;
  /** This is the answer of the service to the query. */
  readonly answer: string;
}

export const SAMPLE = 'quarry-docs';
const QUERY = 'how long does an invitation work?';
const POLL_MS = 20;
/**
 * The start of the service waits at most this long for the sample. The sample takes a few seconds on a slow machine.
 */
const SAMPLE_TIMEOUT_MS = 120_000;

/** The published package has the documentation inside. In the project it lies at the root. */
const root = ['', '../../']
  .map((path) => fileURLToPath(packageFile(path)))
  .find((path) => existsSync(join(path, 'docs')));

export async function makeSample(
  address: string,
  key: string | null,
  noteStep: (step: string) => void,
): Promise<Sample> {
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${address}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`the sample collection could not be made: ${text}`);
    return JSON.parse(text);
  };

  await call('POST', '/v1/collections', { name: 'Quarry docs', readable_id: SAMPLE });
  let connection = await call('POST', '/v1/source-connections', {
    name: 'Documentation',
    short_name: 'files',
    readable_collection_id: SAMPLE,
    config: { path: root, include: ['/*.md', '/docs/**/*.md'], watch: false },
    schedule: { cron: null },
  });
  const deadline = performance.now() + SAMPLE_TIMEOUT_MS;
  while (UNFINISHED.includes(connection.sync.last_job.status)) {
    if (performance.now() > deadline)
      throw new Error(
        `the sample is still being synced; GET /v1/source-connections/${connection.id} says what it waits for`,
      );
    await sleep(POLL_MS);
    connection = await call('GET', `/v1/source-connections/${connection.id}`);
  }
  if (connection.sync.last_job.status !== 'COMPLETED')
    throw new Error(
      `the sample could not be synced: ${connection.sync.last_job.error ?? 'its job was cancelled'}`,
    );
  noteStep('sample synced');

  const { completion } = await call('POST', `/v1/collections/${SAMPLE}/search`, {
    query: QUERY,
    limit: 1,
  });
  noteStep('first search');
  return {
    readableId: SAMPLE,
    entities: connection.entities.total_entities,
    query: QUERY,
    answer: completion,
  };
}
