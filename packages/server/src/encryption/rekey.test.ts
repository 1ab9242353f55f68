import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Kysely, KyselyPlugin } from 'kysely';
import type { Schema } from '../db/schema.ts';
import { SEALED_TABLES, type SealedTableName } from '../db/sealed-columns.ts';
import { createVault } from '../secrets.ts';
import { DATABASES, type TestDatabase } from '../test/databases.ts';
import { insertSealedRows, LISTED_COLUMNS, sealedColumnsOf, sealedText } from '../test/sealed.ts';
import { must } from '../util.ts';
import { openVault } from './keys.ts';
import { countToMove, rekey } from './rekey.ts';

const OLD = 'the encryption key before the rotation';
const NEW = 'the encryption key after the rotation';
const vaultBefore = createVault(OLD);
const vaultOfBoth = createVault(NEW, OLD);
const vaultAfter = createVault(NEW);
const { place } = SEALED_TABLES.connection_tokens;

for (const database of DATABASES)
  describe(`a rotation of the encryption key on ${database.name}`, () => {
    let test: TestDatabase;
    let db: Kysely<Schema>;
    let done: [number, number][];
    let unopened: string[];
    before(async () => {
      test = await database.open();
      db = test.db;
    });
    after(() => test.close());
    beforeEach(async () => {
      for (const table of ['connections', 'connection_tokens', 'webhook_subscriptions'] as const)
        await db.deleteFrom(table).execute();
      done = [];
      unopened = [];
    });

    const run = (through = db, vault = vaultOfBoth) =>
      rekey(through, vault, {
        moved: (...counts) => done.push(counts),
        unopened: ({ table, id }) => unopened.push(`${table} ${id}`),
      });
    const tokensOf = async (id: string) => {
      const row = await db
        .selectFrom('connection_tokens')
        .select(['tokens', 'tokens_key'])
        .where('connection_id', '=', id)
        .executeTakeFirstOrThrow();
      return {
        keyId: row.tokens_key,
        tokens: row.tokens && vaultOfBoth.open(row.tokens, place(id)),
      };
    };
    /** Stores tokens as a service does that renews them, and whose vault is this one. */
    const renew = (id: string, tokens: string, vault = vaultOfBoth) =>
      db
        .updateTable('connection_tokens')
        .set({ tokens: vault.seal(tokens, place(id)), tokens_key: vault.keyId })
        .where('connection_id', '=', id)
        .execute();
    /** Runs `work` after each query that reads tokens. */
    const afterReads = (work: () => Promise<unknown>): Kysely<Schema> =>
      db.withPlugin({
        transformQuery: ({ node }) => node,
        async transformResult({ result }) {
          if (result.rows.some((row) => 'tokens' in row)) await work();
          return result;
        },
      } satisfies KyselyPlugin);

    const movedOf = (count: number) => ({
      connections: count,
      connection_tokens: count,
      auth_providers: count,
      webhook_subscriptions: count,
    });

    it('seals the values of every sealed column again, and changes nothing else', async () => {
      const { connections, subscriptions } = await insertSealedRows(db, vaultBefore, 3);
      const columns = await sealedColumnsOf(db, vaultBefore.open);
      assert.deepEqual([...columns.keys()].toSorted(), LISTED_COLUMNS.toSorted());
      assert.equal(await countToMove(db, vaultOfBoth), 12);

      const moved = movedOf(3);
      assert.deepEqual(await run(), { moved, unopened: 0, sealedMeanwhile: 0 });
      assert.deepEqual(done, [
        [3, 12],
        [6, 12],
        [9, 12],
        [12, 12],
      ]);
      assert.equal(await countToMove(db, vaultOfBoth), 0);
      for (const [column, { refused }] of await sealedColumnsOf(db, vaultAfter.open))
        assert.equal(refused, 0, column);
      for (const [column, { found, refused }] of await sealedColumnsOf(db, vaultBefore.open))
        assert.equal(refused, found, column);

      const [id = ''] = connections;
      const { credentials } = await db
        .selectFrom('connections')
        .select('credentials')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      assert.equal(vaultAfter.open(must(credentials), id), `credentials of ${id}`);
      assert.equal((await tokensOf(id)).tokens, `tokens of ${id}`);
      const [subscription = ''] = subscriptions;
      const row = await db
        .selectFrom('webhook_subscriptions')
        .select(['secret', 'old_secrets'])
        .where('id', '=', subscription)
        .executeTakeFirstOrThrow();
      assert.equal(vaultAfter.open(row.secret, subscription), `secret of ${subscription}`);
      assert.deepEqual(
        row.old_secrets.map(({ secret, until }) => [vaultAfter.open(secret, subscription), until]),
        [[`old secret of ${subscription}`, 9e15]],
      );

      const untouched = await sealedValues();
      const none = movedOf(0);
      assert.deepEqual((await run()).moved, none);
      assert.deepEqual(await sealedValues(), untouched);
    });

    const sealedValues = async () =>
      (
        await db
          .selectFrom('connections')
          .innerJoin('connection_tokens', 'connection_id', 'id')
          .select(['id', 'credentials', 'tokens'])
          .orderBy('id')
          .execute()
      ).map((row) => Object.values(row).join());

    it('handles more rows than a batch, and ignores rows without a value', async () => {
      const { connections } = await insertSealedRows(db, vaultBefore, 230);
      const [empty = ''] = connections;
      await db
        .updateTable('connection_tokens')
        .set({ tokens: null, tokens_key: null })
        .where('connection_id', '=', empty)
        .execute();
      const { moved } = await run();
      assert.deepEqual(moved, { ...movedOf(230), connection_tokens: 229 });
      assert.deepEqual(
        done.map(([count]) => count),
        [100, 200, 230, 330, 430, 459, 559, 659, 689, 789, 889, 919],
      );
      assert.deepEqual(await tokensOf(empty), { keyId: null, tokens: null });
    });

    it('names the rows that no key opens, leaves them unchanged, and seals the others again', async () => {
      const { connections, subscriptions } = await insertSealedRows(db, vaultBefore, 3);
      const foreign = createVault('the encryption key of somebody else');
      const [a = '', b = ''] = connections;
      await renew(a, 'foreign', foreign);
      // The value has been damaged, or belongs to another row.
      await db
        .updateTable('connections')
        .set({ credentials: vaultBefore.seal('x', a) })
        .where('id', '=', b)
        .execute();
      // It is the last row that is looked at.
      const c = must(subscriptions.toSorted().at(-1));
      const old = [{ secret: sealedText('v1.broken'), until: 1 }];
      await db
        .updateTable('webhook_subscriptions')
        .set({ old_secrets: JSON.stringify(old) })
        .where('id', '=', c)
        .execute();

      const moved = { ...movedOf(2), auth_providers: 3 };
      assert.deepEqual(await run(), { moved, unopened: 3, sealedMeanwhile: 0 });
      const named = [`connections ${b}`, `connection_tokens ${a}`, `webhook_subscriptions ${c}`];
      assert.deepEqual(unopened, named);
      const { tokens } = await db
        .selectFrom('connection_tokens')
        .select('tokens')
        .where('connection_id', '=', a)
        .executeTakeFirstOrThrow();
      assert.equal(foreign.open(must(tokens), place(a)), 'foreign');
      const subscription = await db
        .selectFrom('webhook_subscriptions')
        .select(['secret', 'secret_key', 'old_secrets'])
        .where('id', '=', c)
        .executeTakeFirstOrThrow();
      assert.deepEqual(
        [subscription.secret_key, subscription.old_secrets],
        [vaultBefore.keyId, old],
      );
      assert.equal(vaultBefore.open(subscription.secret, c), `secret of ${c}`);
    });

    it('does not overwrite a value that a service stores in the meantime', async () => {
      const { connections } = await insertSealedRows(db, vaultBefore, 3);
      const [renewed = '', renewedByOld = '', deleted = ''] = connections;
      let reads = 0;
      const through = afterReads(async () => {
        if (reads++ > 0) return;
        await renew(renewed, 'renewed');
        await renew(renewedByOld, 'renewed before the restart', vaultBefore);
        await db.deleteFrom('connection_tokens').where('connection_id', '=', deleted).execute();
      });
      const { moved, sealedMeanwhile } = await run(through);
      assert.deepEqual([moved.connection_tokens, sealedMeanwhile], [1, 0]);
      const keyId = vaultOfBoth.keyId;
      assert.deepEqual(await tokensOf(renewed), { keyId, tokens: 'renewed' });
      assert.deepEqual(await tokensOf(renewedByOld), {
        keyId,
        tokens: 'renewed before the restart',
      });
      const rows = await db.selectFrom('connection_tokens').select('connection_id').execute();
      assert.equal(rows.length, 2);
    });

    it('ends with a message when a service keeps sealing with the old key', async () => {
      const { connections } = await insertSealedRows(db, vaultBefore, 2);
      const [id = ''] = connections;
      let count = 0;
      const through = afterReads(() => renew(id, `renewal ${++count}`, vaultBefore));
      const outcome = await run(through);
      assert.deepEqual([outcome.moved.connection_tokens, outcome.sealedMeanwhile], [1, 1]);
      assert.deepEqual(await tokensOf(id), {
        keyId: vaultBefore.keyId,
        tokens: `renewal ${count}`,
      });
    });

    it('[GEN-30] a start is refused while a value needs a missing key, until the connection is deleted', async () => {
      const settings = { QUARRY_DATA_DIR: '/nowhere', QUARRY_ENCRYPTION_KEY: NEW };
      const other = { ...settings, QUARRY_OTHER_ENCRYPTION_KEY: OLD };
      const refused = /^Error: the encryption key is not the one/;
      await openVault(db, { ...settings, QUARRY_OTHER_ENCRYPTION_KEY: undefined });
      const tables = Object.keys(SEALED_TABLES) as SealedTableName[];
      for (const table of tables) {
        await insertSealedRows(db, vaultBefore, 2);
        for (const one of tables) if (one !== table) await clear(one);
        const alone = { ...settings, QUARRY_OTHER_ENCRYPTION_KEY: undefined };
        await assert.rejects(openVault(db, alone), refused, table);
        const { vault, secret } = await openVault(db, other);
        assert.deepEqual([vault.keyIds, secret], [vaultOfBoth.keyIds, NEW]);
        if (SEALED_TABLES[table].connection)
          await db.updateTable('connections').set({ deleted_at: 1 }).execute();
        else await db.deleteFrom(table).execute();
        await openVault(db, alone);
        for (const one of tables) await db.deleteFrom(one).execute();
      }
    });

    /** Removes the sealed values of a table, but not its rows, on which others depend. */
    const clear = async (table: SealedTableName) => {
      if (table === 'webhook_subscriptions' || table === 'auth_providers')
        await db.deleteFrom(table).execute();
      else if (table === 'connections')
        await db.updateTable(table).set({ credentials: null, credentials_key: null }).execute();
      else await db.updateTable(table).set({ tokens: null, tokens_key: null }).execute();
    };
  });
