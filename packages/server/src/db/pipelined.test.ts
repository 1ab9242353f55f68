import assert from 'node:assert/strict';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { DATABASES, openOnOwnServer, type TestDatabase } from '../test/databases.ts';
import { must } from '../util.ts';
import { connect } from './connect.ts';
import { pipelined, together } from './pipelined.ts';
import type { Tx } from './schema.ts';

const add = (tx: Tx, lane: string) =>
  tx
    .insertInto('jobs')
    .values({ id: lane, name: 'sync.run', data: '{}', lane, run_at: 0, attempts: 0 })
    .execute();

for (const database of DATABASES)
  describe(`statements together on ${database.name}`, () => {
    let test: TestDatabase;
    before(async () => {
      test = await database.open();
    });
    after(() => test.close());

    const lanes = async () => {
      const rows = await test.db.selectFrom('jobs').select('lane').orderBy('seq').execute();
      return rows.map(({ lane }) => lane);
    };

    it('are committed together, and each has its own result', async () => {
      const results = await test.db
        .transaction()
        .execute((transaction) =>
          pipelined(transaction, (tx) =>
            together([
              sql<{ one: number }>`select 1 as one`.execute(tx),
              add(tx, 'a'),
              sql<{ two: number }>`select 2 as two`.execute(tx),
            ]),
          ),
        );
      assert.deepEqual([results[0].rows[0]?.one, results[2].rows[0]?.two], [1, 2]);
      assert.deepEqual(await lanes(), ['a']);
      await test.db.deleteFrom('jobs').execute();
    });

    it('leave nothing when one fails, also of those that come later, and the first error is thrown', async () => {
      const both = async (tx: Tx) => {
        await add(tx, 'b');
        await add(tx, 'c');
      };
      const failing = test.db
        .transaction()
        .execute((transaction) =>
          pipelined(transaction, (tx) =>
            together([both(tx), sql`select 1 from nowhere`.execute(tx), both(tx)]),
          ),
        );
      await assert.rejects(failing, /nowhere/);
      assert.deepEqual(await lanes(), []);
    });
  });

describe('statements together on a PostgreSQL behind a wire', () => {
  let test: TestDatabase;
  before(async () => {
    test = await openOnOwnServer();
  });
  after(() => test.close());

  it('are sent before the first of them is answered, with the beginning of the transaction', async () => {
    const url = new URL(must(test.url));
    const wire = await holdAnswers({
      port: Number(url.port),
      from: 'begin',
      until: 'the last one',
    });
    url.port = String(wire.port);
    const db = connect(url.href);
    const sent = db
      .transaction()
      .execute((transaction) =>
        pipelined(transaction, (tx) =>
          together([
            sql`select 'the first one' as name`.execute(tx),
            sql`select 'the last one' as name`.execute(tx),
          ]),
        ),
      );
    // The wire keeps the answers back until all were sent, so statements one after the other would never end.
    const [first, last] = await sent;
    assert.deepEqual(
      [first.rows, last.rows],
      [[{ name: 'the first one' }], [{ name: 'the last one' }]],
    );
    await db.destroy();
    wire.close();
  });
});

/** Passes bytes on in both directions, but keeps answers back after the client has sent `from`, until it sends `until`. */
async function holdAnswers(options: { port: number; from: string; until: string }) {
  const proxy = net.createServer((client) => {
    const upstream = net.connect(options.port, '127.0.0.1');
    const held: Buffer[] = [];
    let holds = false;
    client.on('data', (bytes: Buffer) => {
      const text = bytes.toString('latin1');
      if (text.includes(options.from)) holds = true;
      if (text.includes(options.until)) {
        holds = false;
        for (const answer of held.splice(0)) client.write(answer);
      }
      upstream.write(bytes);
    });
    upstream.on('data', (bytes: Buffer) => {
      if (holds) held.push(bytes);
      else client.write(bytes);
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const)
      one.on('close', () => other.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return { port: (proxy.address() as AddressInfo).port, close: () => proxy.close() };
}
