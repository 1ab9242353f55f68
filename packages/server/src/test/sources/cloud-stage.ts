/** Opens a Quarry in this process that copies the company of a fake, and compares its copy with the company. */
import assert from 'node:assert/strict';
import type { Logger } from 'pino';
import type { Source } from '../../sources/define.ts';
import { chunked, must } from '../../util.ts';
import { openTestQuarry, type TestQuarry } from '../app/quarry.ts';
import type { TestDatabase } from '../databases.ts';
import type { CloudFake } from './cloud-company.ts';

/** The pauses of the kit before it repeats a request are at least this long. The pauses of the queue are shorter. */
export const PAUSE_MS = 450;

/** The operator sends a source to these addresses, which change with the company. */
interface Place {
  baseUrl: string | undefined;
  tokenUrl: string | undefined;
}

export interface CloudQuarry {
  readonly quarry: TestQuarry;
  placeOf(source: Source): Place;
}

export async function openCloudQuarry(
  database: TestDatabase,
  sources: readonly Source[],
  log?: Logger,
): Promise<CloudQuarry> {
  const places = new Map<string, Place>(
    sources.map(({ shortName }) => [shortName, { baseUrl: undefined, tokenUrl: undefined }]),
  );
  const placeOf = ({ shortName }: Source) => must(places.get(shortName), shortName);
  const quarry = await openTestQuarry(database, {
    sources: new Map(
      sources.map((source) => [source.shortName, { ...source, operator: placeOf(source) }]),
    ),
    env: { QUARRY_ALLOW_LOOPBACK: 'true' },
    ...(log && { log }),
  });
  return { quarry, placeOf };
}

export interface CloudStage {
  readonly collection: string;
  /** The connection that the other functions sync and examine. `reconnect` makes another one. */
  readonly connection: string;
  reconnect(authentication: object): Promise<void>;
  incremental(): Promise<any>;
  full(): Promise<any>;
  /** This sync finds deletions. */
  deleting(): Promise<any>;
  /** Takes the running job from its worker, which notices it at the next commit, as if another worker had the job. */
  kill(): Promise<void>;
  cancel(): Promise<void>;
  /** Deletes the connection and its collection. */
  end(): Promise<void>;
  /** Gives the connection its credentials again. */
  renew(): Promise<void>;
  /** Returns the ids of all records of the connection, in order. */
  heldIds(): Promise<string[]>;
  /** Fails unless searches find exactly the records of the company. */
  assertHeld(): Promise<void>;
  /** Fails unless searches find each record of the company. They may find others, which it no longer has. */
  assertFound(): Promise<void>;
}

/** One search looks for the words of so many records. */
const WORDS = 12;

let made = 0;

/** Connects the company to a collection of its own. */
export async function openCloudStage(
  { quarry, placeOf }: CloudQuarry,
  source: Source,
  company: CloudFake,
): Promise<CloudStage> {
  const collection = `company-${made++}`;
  /** Maps records of the connection to the words by which a search has found them. */
  const found = new Map<string, string>();
  const { credentials } = company;
  placeOf(source).baseUrl = company.peer.baseUrl;
  await quarry.ok('POST', '/v1/collections', { name: 'Company', readable_id: collection });
  let connection = await connect({ credentials });

  async function connect(authentication: object): Promise<string> {
    const { id } = await quarry.ok('POST', '/v1/source-connections', {
      name: 'The company',
      short_name: source.shortName,
      readable_collection_id: collection,
      config: company.config,
      authentication,
      sync_immediately: false,
      ...(source.cursor && { schedule: { cron: null, continuous: true } }),
    });
    return id;
  }
  const incremental = () => quarry.sync(connection);
  const full = () => quarry.sync(connection, '?force_full_sync=true');

  async function heldIds(): Promise<string[]> {
    const query = `source_connection_id=${connection}&limit=1000`;
    const rows: { entity_id: string }[] = await quarry.ok('GET', `/v1/entities?${query}`);
    return rows.map((row) => row.entity_id).toSorted();
  }

  async function assertWords(expected: ReadonlyMap<string, string>): Promise<void> {
    const fresh = [...expected].filter(([id, word]) => found.get(id) !== word);
    for (const some of chunked(fresh, WORDS)) {
      const words = some.map(([, word]) => word).join(' ');
      const query = { retrieval_strategy: 'keyword', limit: 100 };
      const chunks = await quarry.find(collection, words, query);
      for (const [id, word] of some) {
        const isFound = chunks.some((chunk) => chunk.startsWith(`${id}__chunk_`));
        assert.ok(isFound, `'${word}' among '${words}' finds ${chunks}, and not ${id}`);
        found.set(id, word);
      }
    }
  }

  return {
    collection,
    get connection() {
      return connection;
    },
    async reconnect(authentication) {
      await quarry.ok('DELETE', `/v1/source-connections/${connection}`);
      connection = await connect(authentication);
    },
    incremental,
    full,
    deleting: source.deletions === 'told' ? incremental : full,
    async kill() {
      await quarry.db
        .updateTable('jobs')
        .set({ lease_token: null, lease_until: null, run_at: 0 })
        .where('lane', '=', connection)
        .execute();
    },
    async cancel() {
      const [job] = await quarry.ok('GET', `/v1/source-connections/${connection}/jobs`);
      await quarry.call('POST', `/v1/source-connections/${connection}/jobs/${job.id}/cancel`);
    },
    async end() {
      await quarry.ok('DELETE', `/v1/collections/${collection}`);
    },
    async renew() {
      await quarry.ok('PATCH', `/v1/source-connections/${connection}`, {
        authentication: { credentials },
      });
    },
    heldIds,
    async assertHeld() {
      const expected = company.expected();
      assert.deepEqual(await heldIds(), [...expected.keys()].toSorted());
      await assertWords(expected);
    },
    async assertFound() {
      const expected = company.expected();
      const held = new Set(await heldIds());
      const missing = [...expected.keys()].filter((id) => !held.has(id));
      assert.deepEqual(missing, []);
      await assertWords(expected);
    },
  };
}

export function assertCompleted(job: { status: string; error: string | null }): void {
  assert.equal(job.status, 'completed', job.error ?? '');
}

export async function assertWritesNothing(sync: () => Promise<any>): Promise<void> {
  const job = await sync();
  assertCompleted(job);
  const written = [job.entities_inserted, job.entities_updated, job.entities_deleted];
  assert.deepEqual([...written, job.entities_failed], [0, 0, 0, 0]);
}
