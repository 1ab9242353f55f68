/** Opens a Quarry in this process with a source that asks a fake of Google, and offers what the tests do with it. */
import assert from 'node:assert/strict';
import type { Source } from '../../sources/define.ts';
import type { SourceOperator } from '../../sources/operator.ts';
import { must } from '../../util.ts';
import { openTestQuarry } from '../app/quarry.ts';
import { DATABASES } from '../databases.ts';
import { PLAIN } from '../search/plain.ts';
import { until } from '../until.ts';

export type GoogleHouse = Awaited<ReturnType<typeof openGoogleHouse>>;

interface GooglePeer {
  readonly operator: SourceOperator;
  readonly serviceAccount: string;
  readonly me: string;
}

interface Result {
  readonly entity_id: string;
  readonly md_content: string;
  readonly breadcrumbs: string;
  readonly url: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

const recordIdOf = ({ entity_id }: Result) => entity_id.replace(/__chunk_\d+$/, '');

export async function openGoogleHouse(source: Source, peer: GooglePeer) {
  const database = must(DATABASES[0]);
  const quarry = await openTestQuarry(await database.open(), {
    sources: new Map([[source.shortName, { ...source, operator: peer.operator }]]),
    env: { QUARRY_ALLOW_LOOPBACK: 'true' },
  });
  let made = 0;

  async function connect(
    config: object = {},
    authentication: object = {
      credentials: { service_account: peer.serviceAccount, subject: peer.me },
    },
  ) {
    const collection = `house-${made++}`;
    await quarry.ok('POST', '/v1/collections', { name: 'House', readable_id: collection });
    const answer = await quarry.call('POST', '/v1/source-connections', {
      name: 'The house',
      short_name: source.shortName,
      readable_collection_id: collection,
      sync_immediately: false,
      schedule: { cron: null, continuous: true },
      config,
      authentication,
    });
    return { ...answer, collection, id: answer.body.id as string };
  }

  /** Connects, syncs, and returns functions that examine the connection. */
  async function follow(config: object = {}, authentication?: object) {
    const { status, body, id, collection } = await connect(config, authentication);
    assert.equal(status, 200, JSON.stringify(body));
    const sync = async (query = '') => {
      const job = await quarry.sync(id, query);
      assert.ok(job.status === 'completed', JSON.stringify(job));
      return job;
    };
    const first = await sync();
    return {
      id,
      first,
      sync,
      full: () => sync('?force_full_sync=true'),
      /**
       * Runs a sync that must wait once, ends the wait, and returns the reason of the wait.
       */
      async waitingSync() {
        await quarry.ok('POST', `/v1/source-connections/${id}/run`);
        const waitsFor = await until(async () => {
          const [job] = await quarry.ok('GET', `/v1/source-connections/${id}/jobs?limit=1`);
          return job.waits_for;
        });
        return { waitsFor, job: await quarry.settled(id, { hurry: true }) };
      },
      /** Returns the ids of the records whose text has the word and that a person with these principals finds. */
      async having(word: string, principals?: string): Promise<string[]> {
        const results = await search(collection, word, principals);
        return results
          .filter(({ md_content }) => md_content.includes(word))
          .map(recordIdOf)
          .toSorted();
      },
      /** Returns the result that shows the record. */
      async record(recordId: string): Promise<Result> {
        const filter = { must: [{ key: 'original_entity_id', match: { value: recordId } }] };
        const [found] = await search(collection, recordId, undefined, filter);
        return must(found, `${recordId} is not found`);
      },
      ids: async () =>
        [
          ...(await quarry.ok('GET', `/v1/entities?source_connection_id=${id}&limit=1000`)).map(
            (row: { entity_id: string }) => row.entity_id,
          ),
        ].toSorted(),
      failures: (job: { id: string }) =>
        quarry.ok('GET', `/v1/source-connections/${id}/jobs/${job.id}/failures`),
      skipped: (job: { id: string }) =>
        quarry.ok('GET', `/v1/source-connections/${id}/jobs/${job.id}/skipped`),
    };
  }

  async function search(
    collection: string,
    query: string,
    principals?: string,
    filter?: object,
  ): Promise<Result[]> {
    const { results } = await quarry.ok(
      'POST',
      `/v1/collections/${collection}/search`,
      { ...PLAIN, query, limit: 100, ...(filter && { filter }) },
      principals === undefined ? undefined : { 'x-principals': principals },
    );
    return results;
  }

  return { quarry, connect, follow, close: () => quarry.close() };
}
