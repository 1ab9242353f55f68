/**
 * Tests what every connector of a cloud service must do, through the whole pipeline. A Quarry in this process reads a
 * fake of the service. The company of the fake changes, its server fails, and a search must find exactly the records of
 * the company.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { sql } from 'kysely';
import pino from 'pino';
import type { Source } from '../../sources/define.ts';
import { secretFields } from '../../sources/describe.ts';
import { must } from '../../util.ts';
import type { TestQuarry } from '../app/quarry.ts';
import { DATABASES, type TestDatabase } from '../databases.ts';
import { play } from '../faults/sources/play.ts';
import { openRowLog, type RowLog } from '../faults/sources/row-log.ts';
import { stepsOf } from '../faults/sources/steps.ts';
import { describeFailure, failureOf } from '../random/failure.ts';
import { type SkippedWaits, skipWaits } from '../skip-waits.ts';
import { isLeftToSqlite, isSmokeEnough, someOf } from '../tier.ts';
import { until } from '../until.ts';
import type { CloudCompany } from './cloud-company.ts';
import { json, openCloudPeer, type PeerFault } from './cloud-peer.ts';
import {
  assertCompleted,
  assertWritesNothing,
  type CloudQuarry,
  type CloudStage,
  openCloudQuarry,
  openCloudStage,
  PAUSE_MS,
} from './cloud-stage.ts';
import type { Cloud } from './clouds.ts';
import { measureResync } from './resync.ts';

/** `npm run faults -- --sources` plays more histories. */
const SEED = 0;

/** `name` is that of the source in clouds.ts. */
export function testCloudSource(
  source: Source,
  open: () => Promise<CloudCompany>,
  name = source.shortName,
): void {
  for (const database of DATABASES)
    describe(`the cloud source ${name} on ${database.name}`, () =>
      testOn(database, { source, open }, name));
}

function testOn(database: (typeof DATABASES)[number], { source, open }: Cloud, name: string): void {
  let cloud: CloudQuarry;
  let quarry: TestQuarry;
  let company: CloudCompany;
  let stage: CloudStage;
  let rows: RowLog;
  let waits: SkippedWaits;
  let opened: TestDatabase;
  let logged = '';
  const log = pino(
    { level: 'trace' },
    new Writable({
      write(line, _encoding, done) {
        logged += line;
        done();
      },
    }),
  );

  before(async () => {
    opened = await database.open();
    rows = await openRowLog(opened.db, opened.kind);
    cloud = await openCloudQuarry(opened, [source], log);
    quarry = cloud.quarry;
    waits = skipWaits(PAUSE_MS);
  });
  after(async () => {
    waits.restore();
    await quarry.close();
  });
  beforeEach(async () => {
    company = await open();
    try {
      stage = await openCloudStage(cloud, source, company);
    } catch (error) {
      // An error of the fake itself says more than that the service broke off.
      await company.peer.close();
      throw error;
    }
  });
  afterEach(() => company.peer.close());

  const incremental = () => stage.incremental();
  const full = () => stage.full();
  const assertHeld = () => stage.assertHeld();
  /** Every request fails with each of the faults in turn, before it is answered. */
  function eachMeets(...faults: PeerFault[]): void {
    const met = new Map<string, number>();
    company.peer.fault = (asked) => {
      const { method, url, body } = asked;
      const request = company.nameOf?.(asked) ?? `${method} ${url} ${body}`;
      const times = met.get(request) ?? 0;
      met.set(request, times + 1);
      return faults[times];
    };
  }
  /** Calls `happen` before the request with this number is answered. The count begins at 0 now. */
  function at(number: number, happen: () => unknown): void {
    const from = company.peer.requests.length;
    company.peer.fault = (_, n) => (n - from === number ? (happen() as PeerFault) : undefined);
  }
  /**
   * Returns the number of requests of a full pull that finds nothing new. Every later full pull has at least as many.
   */
  async function requestsOfSecond(): Promise<number> {
    await full();
    const before = company.peer.requests.length;
    await full();
    return company.peer.requests.length - before;
  }

  it('copies all records of the company, and writes nothing when nothing has changed', async () => {
    assertCompleted(await full());
    await assertHeld();
    await assertWritesNothing(incremental);
    await assertWritesNothing(full);
    await assertHeld();
  });

  it('copies changed and added records', async () => {
    await full();
    for (let i = 0; i < 4; i++) {
      company.edit();
      company.add();
      assertCompleted(await incremental());
      await assertHeld();
    }
  });

  if (isSmokeEnough(database)) return;

  it('completes a sync although every request interrupts it once', async () => {
    eachMeets(json(429, {}, { 'retry-after': '3600' }));
    const job = await full();
    assertCompleted(job);
    assert.ok(job.sync_metadata.attempt > 2, 'the pull was not interrupted');
    await assertHeld();
    company.edit();
    company.add();
    eachMeets(json(429, {}, { 'retry-after': '3600' }));
    assertCompleted(await incremental());
    await assertHeld();
  });

  it('loses nothing in a random history, and shows nothing that is gone', async () => {
    const steps = stepsOf(SEED);
    // `npm run faults` plays the history with a clock that moves. The clock of this process must not.
    const ground = { ...cloud, rows, pass: () => {} };
    try {
      await play({ source, open }, ground, { steps, figures: new Map() });
    } catch (error) {
      const again = `faults -- --sources --source ${name} --database ${database.name} --seed ${SEED}`;
      throw new Error(describeFailure(failureOf(error, SEED, steps), again));
    }
  });

  // The other tests are about the requests of a connector, which are the same on both databases.
  if (isLeftToSqlite(database)) return;

  for (const [what, change] of [
    ['one record', 'remove'],
    ['many records', 'removeMany'],
    ['a whole part', 'removePart'],
  ] as const)
    it(`deletes ${what} that the service no longer has`, async () => {
      await full();
      const had = company.expected().size;
      for (let i = 0; i < (change === 'remove' ? 4 : 1); i++) {
        company[change]();
        assertCompleted(await stage.deleting());
        await assertHeld();
      }
      assert.ok(company.expected().size < had);
    });

  it('never shows its credentials, even when an error of the service quotes them', async () => {
    const fields = new Set(secretFields(source));
    const secrets = Object.entries(company.credentials).flatMap(([name, value]) =>
      fields.has(name) ? [value] : [],
    );
    assert.ok(secrets.length > 0);
    logged = '';
    const answers: unknown[] = [];
    const url = `/v1/source-connections/${stage.connection}`;
    for (const status of [400, 401, 403, 500, 200]) {
      const said = `the token ${secrets.join(' ')} is wrong`;
      company.peer.fault = () => json(status, { message: said, errors: [{ message: said }] });
      answers.push(await full(), await quarry.call('GET', `${url}/jobs`));
      answers.push(
        await quarry.call('PATCH', url, { authentication: { credentials: company.credentials } }),
        await quarry.call('GET', url),
      );
      company.peer.fault = () => undefined;
      await stage.renew();
    }
    answers.push(await full());
    const stored = await storedTexts(opened);
    for (const secret of secrets) {
      assert.ok(!JSON.stringify(answers).includes(secret), 'an answer contains the secret');
      assert.ok(!logged.includes(secret), 'the log contains the secret');
      assert.ok(!stored.some((text) => text.includes(secret)), 'the database contains the secret');
    }
  });

  it('waits for each form of rate limit, at every request, and then loses and changes nothing', async () => {
    await full();
    for (const refusal of company.refusals.rateLimited) {
      eachMeets(refusal);
      await assertWritesNothing(full);
      eachMeets(refusal);
      await assertWritesNothing(incremental);
    }
    await assertHeld();
  });

  it('shows in the job until when it waits', async () => {
    for (const refusal of company.refusals.rateLimited) {
      company.peer.fault = () => refusal;
      await quarry.ok('POST', `/v1/source-connections/${stage.connection}/run`);
      const job = await until(async () => {
        const [newest] = await quarry.ok('GET', `/v1/source-connections/${stage.connection}/jobs`);
        return newest.waits_for ? newest : undefined;
      });
      const seconds = (Date.parse(job.waits_for.until) - Date.now()) / 1000;
      assert.ok(seconds > 3300 && seconds <= 3600, `it waits ${seconds} s`);
      company.peer.fault = () => undefined;
      assertCompleted(await quarry.settled(stage.connection, { hurry: true }));
    }
  });

  it('loses nothing in bursts of server errors', async () => {
    const { serverError } = company.refusals;
    await full();
    eachMeets(serverError, serverError);
    await assertWritesNothing(full);
    let burst = 6;
    company.peer.fault = () => (burst-- > 0 ? serverError : undefined);
    await assertWritesNothing(full);
    await assertHeld();
  });

  it('does not mistake an answer that breaks off for a complete answer', async () => {
    await full();
    eachMeets('cut', 'cut');
    await assertWritesNothing(full);
    eachMeets('cut');
    await assertWritesNothing(incremental);
    eachMeets('cut', 'cut');
    company.edit();
    company.add();
    assertCompleted(await incremental());
    await assertHeld();
  });

  it('deletes nothing when the service repeats a page', async () => {
    const count = await requestsOfSecond();
    for (const n of someOf(1, count)) {
      at(n, () => 'again');
      const job = await full();
      assert.equal(job.entities_deleted, 0, `request ${n}`);
      await assertHeld();
    }
    company.peer.fault = () => undefined;
    await assertWritesNothing(full);
  });

  it('misses no change that happens during a listing', async () => {
    const shuffle = () => {
      if (company.shuffle) return company.shuffle();
      company.edit();
      company.add();
    };
    const count = await requestsOfSecond();
    for (const [i, n] of someOf(0, count).entries()) {
      at(n, shuffle);
      assertCompleted(await (i % 2 ? incremental() : full()));
      company.peer.fault = () => undefined;
      assertCompleted(await incremental());
      await assertHeld();
    }
  });

  it('deletes nothing when its credentials end in the middle of a sync, and goes on with new credentials', async () => {
    const count = await requestsOfSecond();
    for (const n of [0, Math.floor(count / 2), count - 1]) {
      company.edit();
      const from = company.peer.requests.length;
      // A source that exchanges its credentials for a token tries to renew the token once, and
      // fails.
      company.peer.fault = (_, i) => (i - from >= n ? company.refusals.unauthorized : undefined);
      const job = await full();
      assert.deepEqual([job.status, job.entities_deleted], ['failed', 0]);
      const { status } = await quarry.ok('GET', `/v1/source-connections/${stage.connection}`);
      assert.equal(status, 'NEEDS_REAUTH');
      company.peer.fault = () => undefined;
      await stage.renew();
      assertCompleted(await incremental());
      await assertHeld();
    }
  });

  const { oauth } = source.auth;
  if (oauth && oauth.refresh !== 'never')
    it('[AUTH-23] renews an OAuth token that ends at any request of a sync, once, and loses nothing', async (t) => {
      const accept = must(company.acceptToken, 'the company accepts no tokens');
      let issued = 0;
      const endpoint = await openCloudPeer(({ body }) => {
        const sent = new URLSearchParams(body).get('refresh_token');
        if (sent !== `refresh-${issued}`) return json(400, { error: 'invalid_grant' });
        accept(`access-${++issued}`);
        const tokens = { access_token: `access-${issued}`, refresh_token: `refresh-${issued}` };
        return json(200, { ...tokens, token_type: 'Bearer', expires_in: 3600 });
      });
      const place = cloud.placeOf(source);
      place.tokenUrl = `${endpoint.baseUrl}/token`;
      t.after(async () => {
        place.tokenUrl = undefined;
        await endpoint.close();
      });
      accept('access-0');
      await stage.reconnect({
        access_token: 'access-0',
        refresh_token: 'refresh-0',
        client_id: 'client-1',
        client_secret: 'secret of the client',
      });
      const count = await requestsOfSecond();
      await assertHeld();
      for (const [i, n] of someOf(0, count).entries()) {
        at(n, () => accept('none'));
        const before = issued;
        company.edit();
        assertCompleted(await (i % 2 ? incremental() : full()));
        company.peer.fault = () => undefined;
        assert.ok(issued <= before + 1, `request ${n} caused ${issued - before} refreshes`);
        assertCompleted(await incremental());
        await assertHeld();
      }
      assert.ok(issued > 0);
    });

  it('keeps the records of a part that it may no longer list, and reads the other parts', async (t) => {
    if (!company.forbidPart) return t.skip('the service refuses no part');
    await full();
    company.forbidPart();
    company.edit();
    const job = await full();
    assertCompleted(job);
    assert.equal(job.entities_deleted, 0);
    await assertHeld();
  });

  it('starts again from the beginning when the service has forgotten its cursors', async (t) => {
    if (!company.forgetCursors) return t.skip('the service forgets no cursors');
    const count = await requestsOfSecond();
    for (const n of someOf(1, count)) {
      at(n, () => {
        company.forgetCursors?.();
        return json(429, {}, { 'retry-after': '3600' });
      });
      await assertWritesNothing(full);
    }
    company.edit();
    company.forgetCursors();
    assertCompleted(await incremental());
    await assertHeld();
  });

  it('asks for no unchanged record again', async (t) => {
    t.diagnostic(await measureResync(company, stage));
  });
}

/** Returns everything that the database has stored. */
async function storedTexts({ kind, url, db }: TestDatabase): Promise<string[]> {
  if (kind === 'sqlite') {
    const folder = dirname(must(url));
    return readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
  }
  const tables = await db.introspection.getTables();
  assert.ok(tables.length > 0);
  return Promise.all(
    tables.map(async ({ name }) => {
      const { rows } = await sql<{ text: string }>`
        select coalesce(string_agg(one::text, ' '), '') as text from ${sql.table(name)} as one`.execute(
        db,
      );
      return must(rows[0]).text;
    }),
  );
}
