/** Tests requests that need a row which a stopped process has locked. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { connect } from '../../db/connect.ts';
import { must } from '../../util.ts';
import { openOnOwnServer, type TestDatabase } from '../databases.ts';
import { openTestQuarry, type TestQuarry } from './quarry.ts';

describe('a row that somebody else has locked for long', () => {
  let test: TestDatabase;
  let quarry: TestQuarry;
  before(async () => {
    test = await openOnOwnServer();
    const db = connect(must(test.url), { lockWaitMs: 300, poolSize: 5 });
    quarry = await openTestQuarry({
      ...test,
      db,
      async close() {
        await db.destroy();
        await test.close();
      },
    });
  });
  after(() => quarry.close());

  it('[GEN-18] a push to its connection answers 503 in time, and others are served meanwhile', async () => {
    await quarry.ok('POST', '/v1/collections', { name: 'Locked', readable_id: 'locked' });
    const { id } = await quarry.ok('POST', '/v1/source-connections', {
      name: 'Pushed',
      short_name: 'push',
      readable_collection_id: 'locked',
    });
    const path = `/v1/source-connections/${id}`;
    const push = () =>
      quarry.call('POST', `${path}/entities`, {
        entities: [{ entity_id: 'a', name: 'A', text: 'heron' }],
      });
    await test.db.transaction().execute(async (tx) => {
      await sql`select 1 from connections where id = ${id} for update`.execute(tx);
      const answers = await Promise.all([push(), push(), push(), push(), push(), push()]);
      for (const { status, body, headers } of answers) {
        assert.equal(status, 503);
        assert.match(body.error?.message ?? body.detail, /^the database is busy; try again/);
        assert.ok(Number(headers['retry-after']) > 0);
      }
      await quarry.ok('GET', path);
    });
    assert.ok((await push()).status < 300);
  });
});
