/** Tests what a search gets from federated sources, however they behave. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import type { Reranker } from '../../engines/ports.ts';
import { SourceError } from '../../errors.ts';
import { everything } from '../../model/filter.ts';
import { createVault } from '../../secrets.ts';
import { book, federatedSource } from '../../test/app/federated-source.ts';
import { DATABASES } from '../../test/databases.ts';
import { answering } from '../../test/engines/asking.ts';
import { anywhere, unlimited } from '../../test/environment.ts';
import { keeperOf } from '../../test/keeper.ts';
import { searchDeps } from '../../test/search/deps.ts';
import { ENGINES, type Library, openLibrary } from '../../test/search/library.ts';
import { until } from '../../test/until.ts';
import { must } from '../../util.ts';
import { SearchBody } from '../schema.ts';
import { createSearch } from '../service.ts';
import { createFederated, type FederatedDeps, type FederatedQuestion } from './ask.ts';

const never = new AbortController().signal;

for (const database of DATABASES)
  describe(`asking sources on ${database.name}`, () => {
    const { source, shelf } = federatedSource();
    const vault = createVault('a secret of the tests, long enough');
    let library: Library;
    let collectionId: string;
    let question: FederatedQuestion;
    before(async () => {
      library = await openLibrary(must(ENGINES.find((one) => one.database === database)));
    });
    after(() => library.close());
    beforeEach(async () => {
      Object.assign(shelf, { find: () => [], asked: [] });
      collectionId = await library.addCollection();
      const { id } = await library.addConnection(collectionId, 'shelf');
      await library.db
        .updateTable('connections')
        .set({
          credentials: vault.seal({ password: 'right' }, id),
          credentials_key: vault.keyId,
          authenticated_at: 1,
        })
        .where('id', '=', id)
        .execute();
      const connections = [{ id, short_name: 'shelf' }];
      question = { connections, query: 'text', filter: everything };
    });

    const open = (over: Partial<FederatedDeps> = {}) =>
      createFederated({
        db: library.db,
        sources: new Map([['shelf', source]]),
        vault,
        environment: anywhere,
        keeper: keeperOf({ db: library.db, kind: database.name, vault }),
        rateLimiter: unlimited,
        log: pino({ level: 'silent' }),
        ...over,
      });

    const change = (to: { deleted_at: number } | { authenticated_at: number }) =>
      library.db
        .updateTable('connections')
        .set(to)
        .where('id', '=', question.connections[0]!.id)
        .execute();

    it('[CON-24] a connection that is deleted while its source is asked does not appear in the answer', async () => {
      shelf.find = async () => {
        await change({ deleted_at: 1 });
        return [book('a', { text: 'a text' })];
      };
      assert.deepEqual(await open().ask(question, never), { rows: [], sources: [] });
    });

    it('a refusal is stored only for the credentials that were refused, not for newer ones', async () => {
      const refused = async (meanwhile: () => Promise<unknown>) => {
        shelf.find = async () => {
          await meanwhile();
          throw new SourceError('auth', 'wrong password');
        };
        await open().ask(question, never);
        const { refused_at } = await library.db
          .selectFrom('connections')
          .select('refused_at')
          .where('id', '=', question.connections[0]!.id)
          .executeTakeFirstOrThrow();
        return refused_at !== null;
      };
      assert.equal(await refused(() => change({ authenticated_at: 2 })), false);
      assert.equal(await refused(async () => {}), true);
      const asked = shelf.asked.length;
      const { sources } = await open().ask(question, never);
      assert.match(sources[0]!.message!, /refused or missing/);
      assert.equal(shelf.asked.length, asked);
    });

    it('an error while a refusal is stored does not fail the search', async () => {
      shelf.find = () => {
        throw new SourceError('auth', 'wrong password');
      };
      const db = new Proxy(library.db, {
        get(whole, name) {
          if (name === 'updateTable') throw new Error('the database is away');
          const value = Reflect.get(whole, name);
          return typeof value === 'function' ? value.bind(whole) : value;
        },
      });
      const { sources } = await open({ db }).ask(question, never);
      assert.deepEqual([sources[0]?.status, sources[0]?.message], ['failed', 'wrong password']);
    });

    it('a source that asks for a pause is not asked during this pause', async () => {
      shelf.find = () => {
        throw new SourceError('rate_limited', 'slow down', { retryAfter: 3000 });
      };
      const federated = open();
      await federated.ask(question, never);
      const { sources } = await federated.ask(question, never);
      const seconds = Number(/to wait for (\d+) s/.exec(sources[0]?.message ?? '')?.[1]);
      assert.ok(seconds > 2000 && seconds <= 3000, sources[0]?.message);
    });

    it('at most 32 sources are asked at the same time', async () => {
      const connections = [...question.connections];
      for (let i = 1; i < 34; i++) {
        const { id } = await library.addConnection(collectionId, 'shelf');
        const sealed = vault.seal({ password: 'right' }, id);
        await library.db
          .updateTable('connections')
          .set({ credentials: sealed, credentials_key: vault.keyId, authenticated_at: 1 })
          .where('id', '=', id)
          .execute();
        connections.push({ id, short_name: 'shelf' });
      }
      const all = Promise.withResolvers<void>();
      shelf.find = () => {
        if (shelf.asked.length === 32) setImmediate(all.resolve);
        return new Promise(() => {});
      };
      const gone = new AbortController();
      const answer = open().ask({ ...question, connections }, gone.signal);
      await all.promise;
      assert.equal(shelf.asked.length, 32);
      gone.abort(new Error('gone'));
      await answer;
      assert.equal(shelf.asked.length, 32);
    });

    it('a connection is asked at most four times at once, and the next search starts when another one ends', async () => {
      const asked = (count: number) =>
        until(async () => (shelf.asked.length === count ? true : undefined));
      shelf.find = () => new Promise(() => {});
      // On a busy machine the usual deadline might pass, which would end searches and start others.
      const federated = open({ deadlineMs: 100_000 });
      const searches = Array.from({ length: 6 }, () => new AbortController());
      const answers = searches.map(({ signal }) => federated.ask(question, signal));
      await asked(4);
      await sleep(20);
      assert.equal(shelf.asked.length, 4);
      // The fifth search no longer waits, so only the sixth can start in the place of the first.
      searches[4]!.abort(new Error('gone'));
      await answers[4];
      searches[0]!.abort(new Error('gone'));
      await asked(5);
      for (const search of searches) search.abort(new Error('gone'));
      await Promise.all(answers);
      assert.equal(shelf.asked.length, 5);
    });

    it('a source that does not answer is aborted at the deadline, and reported', async () => {
      let told: AbortSignal | undefined;
      shelf.find = (signal) => {
        told = signal;
        return new Promise(() => {});
      };
      const { rows, sources } = await open({ deadlineMs: 20 }).ask(question, never);
      assert.deepEqual(rows, []);
      assert.deepEqual(
        sources.map(({ status, results, message }) => [status, results, message]),
        [['timeout', 0, 'it did not answer within 0.02 s']],
      );
      assert.equal(told?.aborted, true);
    });

    it('an answer within the deadline is not cut off', async () => {
      shelf.find = async () => [book('a'), book('b')];
      const { rows } = await open().ask(question, never);
      assert.deepEqual(
        rows.map((row) => [row.entity_id, row.position]),
        [
          ['a', 0],
          ['b', 0],
        ],
      );
    });

    it('a request ends when its search is aborted', async () => {
      const gone = new AbortController();
      const asked = Promise.withResolvers<AbortSignal>();
      shelf.find = (signal) => {
        asked.resolve(signal);
        return new Promise(() => {});
      };
      const answer = open().ask(question, gone.signal);
      const signal = await asked.promise;
      gone.abort(new Error('gone'));
      assert.deepEqual((await answer).rows, []);
      assert.equal(signal.aborted, true);
    });

    it('deleted connections and connections of other sources are not asked', async () => {
      const pushed = await library.addConnection(collectionId, 'push');
      const other = [{ id: pushed.id, short_name: 'push' }];
      assert.deepEqual(await open().ask({ ...question, connections: other }, never), {
        rows: [],
        sources: [],
      });
      const connections = [...other, ...question.connections];
      assert.equal((await open().ask({ ...question, connections }, never)).sources.length, 1);
      await library.db
        .updateTable('connections')
        .set({ deleted_at: 1 })
        .where('collection_id', '=', collectionId)
        .execute();
      assert.deepEqual((await open().ask(question, never)).sources, []);
      assert.equal(shelf.asked.length, 1);
    });

    it('a connection that is not authenticated, or sealed with another key, is reported', async () => {
      const other = open({ vault: createVault('another secret of the tests, long enough') });
      const { sources } = await other.ask(question, never);
      assert.match(sources[0]!.message!, /another encryption key/);
      await library.db
        .updateTable('connections')
        .set({ authenticated_at: null })
        .where('collection_id', '=', collectionId)
        .execute();
      const pending = await open().ask(question, never);
      assert.match(pending.sources[0]!.message!, /refused or missing/);
      assert.deepEqual(shelf.asked, []);
    });

    it('a search that queries the index twice asks the source once, and aborts it at its end', async () => {
      let told: AbortSignal | undefined;
      shelf.find = (signal) => {
        told = signal;
        return [book('live')];
      };
      let looks = 0;
      const index = answering(library.index, () => {
        looks++;
        return {};
      });
      const { embedder } = library;
      const reranker: Reranker = { model: 'm', rerank: async (_, texts) => texts.map(() => 1) };
      const search = createSearch({
        ...searchDeps({ db: library.db, index, embedder, reranker }),
        federated: open(),
      });
      const body = SearchBody.parse({ query: 'text', retrieval_strategy: 'keyword' });
      const request = {
        organizationId: library.organizationId,
        collectionIds: [collectionId],
        principals: null,
        body,
      };
      const { results } = await search.search(request, never);
      assert.deepEqual(
        results.map((one) => one.entity_id),
        ['live__chunk_0'],
      );
      assert.deepEqual([looks, shelf.asked.length], [2, 1]);
      assert.equal(told?.aborted, true);
    });
  });
