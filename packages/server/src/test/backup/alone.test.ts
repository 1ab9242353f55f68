/** A move reads a PostgreSQL that nobody else uses. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Kysely, sql } from 'kysely';
import { withContentsAlone } from '../../backup/contents.ts';
import { connect } from '../../db/connect.ts';
import { migrate } from '../../db/migrate.ts';
import type { Schema } from '../../db/schema.ts';
import { must } from '../../util.ts';
import { insertOrganization } from '../api/rows.ts';
import { createDatabase, somebodyWaits } from '../databases.ts';
import { until } from '../until.ts';

const SERVER = process.env.TEST_POSTGRES_URL;
const SKIP = SERVER === undefined && 'needs a PostgreSQL server';
const REFUSED = /the database has 1 other open connection: stop every process of the service/;

describe('a move from PostgreSQL', { skip: SKIP }, () => {
  let created: Awaited<ReturnType<typeof createDatabase>>;
  let db: Kysely<Schema>;
  before(async () => {
    created = await createDatabase(must(SERVER), process.env.TEST_POSTGRES_TEMPLATE);
    db = connect(created.url, { poolSize: 1 });
    await migrate(db, 'postgres');
  });
  after(async () => {
    await db.destroy();
    await created.drop();
  });

  it('does not begin while somebody is connected, and says at the end whether somebody has come', async () => {
    const service = connect(created.url);
    await insertOrganization(service);
    let begun = 0;
    const begin = () =>
      withContentsAlone({ db, kind: 'postgres' }, async (_contents, stillAlone) => {
        begun += 1;
        await stillAlone();
        const late = connect(created.url);
        try {
          const write = insertOrganization(late);
          await until(() => somebodyWaits(late));
          // One of the two connections waits, and one has looked.
          await assert.rejects(stillAlone(), /the database has 2 other open connections/);
          return { late, write };
        } catch (error) {
          await late.destroy();
          throw error;
        }
      });
    await assert.rejects(begin(), REFUSED);
    assert.equal(begun, 0);
    await service.destroy();
    // The server notices the end of a connection a little later.
    await until(async () => {
      const { rows } = await sql`select 1 from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`.execute(db);
      return rows.length === 0;
    });
    const { late, write } = await begin();
    // The write has waited for the end of the move.
    await write;
    const { rows } = await sql<{ n: number }>`select count(*) as n from organizations`.execute(
      late,
    );
    await late.destroy();
    assert.equal(Number(rows[0]?.n), 2);
  });
});
