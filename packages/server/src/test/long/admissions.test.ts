/** Two processes, each with a pull and a thread of searches, send 10,000 requests under one limit to a server with a log. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { put } from '../../rate-limits/store.ts';
import { must, newId } from '../../util.ts';
import { insertOrganization } from '../api/rows.ts';
import { childEnvironment } from '../child-environment.ts';
import { DATABASES, type TestDatabase } from '../databases.ts';

const SENDER = fileURLToPath(new URL('admissions/sender.ts', import.meta.url));
const PROCESSES = 2;
const PULL_REQUESTS = 4500;
const SEARCH_REQUESTS = 500;
const LIMIT = 400;
const WINDOW_SECONDS = 1;

for (const database of DATABASES)
  describe(`10,000 requests under one limit on ${database.name}`, () => {
    let test: TestDatabase;
    let organization: string;
    /** The peer received a request at each of these times, in milliseconds. */
    const received: number[] = [];
    const peer = createServer((_, response) => {
      received.push(performance.now());
      response.end('{}');
    });
    before(async () => {
      test = await database.open();
      organization = await insertOrganization(test.db, newId(), {
        feature_flags: JSON.stringify(['SOURCE_RATE_LIMITING']),
      });
      const limit = {
        source_short_name: 'cloud',
        max_requests: LIMIT,
        window_seconds: WINDOW_SECONDS,
      };
      await test.db.transaction().execute((tx) => put(tx, organization, limit));
      peer.listen(0, '127.0.0.1');
      await once(peer, 'listening');
    });
    after(async () => {
      peer.closeAllConnections();
      peer.close();
      await test.close();
    });

    async function play(): Promise<void> {
      const child = spawn(process.execPath, ['-C', 'quarry', SENDER], {
        env: {
          ...childEnvironment(),
          DATABASE: must(test.url),
          ORGANIZATION: organization,
          CONNECTION: newId(),
          PEER: `http://127.0.0.1:${(peer.address() as AddressInfo).port}`,
          PULL_REQUESTS: String(PULL_REQUESTS),
          SEARCH_REQUESTS: String(SEARCH_REQUESTS),
        },
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      assert.deepEqual(await once(child, 'close'), [0, null]);
    }

    it('[LIM-12] [LIM-22] no window holds more admissions than the limit', async (t) => {
      if (test.url === null) return t.skip('another process cannot reach the database');
      await logAdmissions(test);
      await Promise.all(Array.from({ length: PROCESSES }, play));
      const { rows } = await sql<{ at: number | string }>`select at from admitted`.execute(test.db);
      const admitted = rows.map(({ at }) => Number(at)).toSorted((a, b) => a - b);
      assert.equal(received.length, PROCESSES * (PULL_REQUESTS + SEARCH_REQUESTS));
      // A request that a busy thread did not send in time asks again, and does not use its first admission.
      const unused = admitted.length - received.length;
      assert.ok(unused >= 0 && unused < received.length / 10, `${unused} admissions are unused`);
      const most = LIMIT + unused;
      const shortest = shortestRun(admitted, most);
      assert.ok(shortest >= WINDOW_SECONDS * 1000, `${most + 1} admissions in ${shortest} ms`);
      // A busy machine may delay one request more than the next, so the log of the peer is not compared with a
      // threshold.
      const missing = Math.max(0, WINDOW_SECONDS * 1000 - shortestRun(received, LIMIT));
      t.diagnostic(
        `${unused} admissions were not used; the log of the peer is off by ${Math.ceil(missing)} ms at most`,
      );
    });
  });

/** Returns the shortest time between a request and the one that came `count` requests later. */
const shortestRun = (times: readonly number[], count: number): number =>
  Math.min(...times.slice(count).map((time, i) => time - must(times[i])));

/** Admissions are deleted when their window has passed, so a trigger copies them. */
async function logAdmissions({ db, kind }: TestDatabase): Promise<void> {
  await sql`create table admitted (at bigint not null)`.execute(db);
  if (kind === 'sqlite') {
    await sql`create trigger log_admissions after insert on source_admissions
      begin insert into admitted values (new.at); end`.execute(db);
    return;
  }
  await sql`create function log_admission() returns trigger language plpgsql as
    $$ begin insert into admitted values (new.at); return new; end $$`.execute(db);
  await sql`create trigger log_admissions after insert on source_admissions
    for each row execute function log_admission()`.execute(db);
}
