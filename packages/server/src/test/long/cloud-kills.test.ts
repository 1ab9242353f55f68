/**
 * Kills the service again and again while it copies the company of a cloud source: at the first request of an attempt,
 * at the second, and then each time at a later one. Each time a new process goes on, and at the end a search finds what
 * the company has.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Server, startServer, TEST_KEY, tempDir, untilSynced } from '../e2e/process.ts';
import type { CloudCompany } from '../sources/cloud-company.ts';
import { openDriveCompany } from '../sources/google-drive-company.ts';
import { openLinearCompany } from '../sources/linear-company.ts';

/** Each attempt gets so much further than the one before, because the start of a process is what this test waits for. */
const FURTHER = 2;

const companies: [string, () => Promise<CloudCompany>][] = [
  ['linear', openLinearCompany],
  ['google_drive', openDriveCompany],
];
for (const [source, open] of companies)
  describe(`kill -9 while ${source} is copied`, () => {
    let company: CloudCompany;
    let dir: ReturnType<typeof tempDir>;
    let server: Server;
    let connection: string;
    before(async () => {
      company = await open();
      dir = tempDir();
      const settings = { [source]: { base_url: company.peer.baseUrl } };
      writeFileSync(join(dir.path, 'sources.json'), JSON.stringify(settings));
      server = await start();
      await server.call('POST', '/v1/collections', { name: 'Company', readable_id: 'company' });
      const { status, body } = await server.call('POST', '/v1/source-connections', {
        name: 'The company',
        short_name: source,
        readable_collection_id: 'company',
        config: company.config,
        authentication: { credentials: company.credentials },
        sync_immediately: false,
        schedule: { cron: null, continuous: true },
      });
      assert.equal(status, 200, JSON.stringify(body));
      connection = body.id;
    });
    after(async () => {
      await server.kill();
      await company.peer.close();
      dir.remove();
    });

    const start = () =>
      startServer(join(dir.path, 'data'), {
        env: {
          QUARRY_API_KEY: TEST_KEY,
          QUARRY_ALLOW_LOOPBACK: 'true',
          QUARRY_SOURCES_FILE: join(dir.path, 'sources.json'),
        },
      });

    /** Resolves false when the service was killed at the request of this number, and true when the sync ended before. */
    async function isDoneBefore(request: number): Promise<boolean> {
      const from = company.peer.requests.length;
      const killed = new Promise<false>((done, failed) => {
        company.peer.fault = (_, n) => {
          if (n - from !== request) return undefined;
          server.kill().then(() => done(false), failed);
          return 'hang';
        };
      });
      // The service that is killed answers no more, and the next one is asked.
      const synced = untilSynced(server, connection).then(
        () => true as const,
        () => killed,
      );
      const isDone = await Promise.race([synced, killed]);
      company.peer.fault = () => undefined;
      return isDone;
    }

    async function syncThroughKills(): Promise<number> {
      await server.call('POST', `/v1/source-connections/${connection}/run`);
      let kills = 0;
      for (let request = 0; !(await isDoneBefore(request)); kills++) {
        server = await start();
        request = Math.ceil(FURTHER * request) || 1;
      }
      const { body } = await server.call(
        'GET',
        `/v1/source-connections/${connection}/jobs?limit=1`,
      );
      const job = (await server.call('GET', `/v1/sync/jobs/${body[0].id}`)).body;
      assert.equal(job.status, 'completed', JSON.stringify(job));
      assert.equal(job.sync_metadata.attempt, kills + 1);
      return kills;
    }

    async function assertHeld(): Promise<void> {
      const expected = company.expected();
      const query = `source_connection_id=${connection}&limit=1000`;
      const { body } = await server.call('GET', `/v1/entities?${query}`);
      const ids = body.map((row: { entity_id: string }) => row.entity_id).toSorted();
      assert.deepEqual(ids, [...expected.keys()].toSorted());
      for (const [id, word] of expected) {
        const { body } = await server.call('POST', '/v1/collections/company/search', {
          query: word,
          limit: 3,
          generate_answer: false,
        });
        const found = body.results.map((one: { entity_id: string }) => one.entity_id);
        assert.ok(
          found.some((chunk: string) => chunk.startsWith(`${id}__chunk_`)),
          `'${word}' finds ${found}, and not ${id}`,
        );
      }
    }

    it('[JOB-43] the first sync ends with all records', async () => {
      const kills = await syncThroughKills();
      assert.ok(kills > 3, `it was killed ${kills} times`);
      await assertHeld();
    });

    it('[JOB-43] a sync of changes ends with them', async () => {
      for (let i = 0; i < 6; i++) {
        company.edit();
        company.add();
      }
      const kills = await syncThroughKills();
      assert.ok(kills > 1, `it was killed ${kills} times`);
      await assertHeld();
    });
  });
