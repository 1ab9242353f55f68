/** These tests search through a real search thread, on the database of a library that this thread fills. */
import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { readConfig } from '../config.ts';
import { unavailableReason } from '../db/unavailable.ts';
import { loadModel } from '../engines/embedder/model-file.ts';
import { AppError } from '../errors.ts';
import { SearchBody } from '../search/schema.ts';
import type { SearchRequest } from '../search/service.ts';
import { insertOrganization } from '../test/api/rows.ts';
import { DATABASES, type TestDatabase } from '../test/databases.ts';
import { measured } from '../test/measured.ts';
import { KEY, startModelServer } from '../test/models/server.ts';
import { type Library, libraryOn } from '../test/search/library.ts';
import { PLAIN } from '../test/search/plain.ts';
import { until } from '../test/until.ts';
import { newId } from '../util.ts';
import { type SearchThread, startSearchThread } from './search-client.ts';
import type { Supervision } from './supervise.ts';

const log = pino({ level: 'silent' });
const onGivenUp = (error: Error) => assert.fail(error);
const dataOf = (env: Record<string, string>): Supervision['data'] => ({
  config: readConfig(env),
  secret: 'a secret',
  model: loadModel(),
  federated: [],
  logTo: 'lines',
});

const never = new AbortController().signal;

describe('the search thread', () => {
  const request = {
    organizationId: newId(),
    collectionIds: [newId()] as readonly string[],
  } as SearchRequest;
  const broken = { ...dataOf({}), config: undefined } as unknown as Supervision['data'];

  it('[GEN-18] answers 503 to callers who wait when it dies, and to callers who come before it runs again', async () => {
    const { search, stop } = startSearchThread({ ...measured(), data: broken, log, onGivenUp });
    const waiting = Array.from({ length: 1000 }, () => search.search(request, never));
    await refused(search.search(request, never), /too many searches/);
    await Promise.all(waiting.map((call) => refused(call, /interrupted/)));
    await refused(search.search(request, never), /starting again/);
    await stop();
  });

  for (const [name, env] of [
    ['a PostgreSQL that is down', { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }],
    ['a SQLite file that cannot be opened', { QUARRY_DATA_DIR: '/proc/nowhere' }],
  ] as const)
    it(`[GEN-18] an error of ${name} can still be recognized as a failure of the database`, async () => {
      const { search, stop } = startSearchThread({
        ...measured(),
        data: dataOf(env),
        log,
        onGivenUp,
      });
      const body = SearchBody.parse({ ...PLAIN, query: 'zebra' });
      const failed = search.search({ ...request, principals: null, body }, never);
      const error = await failed.catch((reason: unknown) => reason);
      await stop();
      assert.notEqual(unavailableReason(error), null, String(error));
    });

  async function refused(call: Promise<unknown>, message: RegExp): Promise<void> {
    await assert.rejects(call, { status: 503, code: 'unavailable', retryAfter: 1, message });
  }
});

for (const database of DATABASES) {
  describe(`searches in a thread on ${database.name}`, () => {
    let opened: TestDatabase;
    let library: Library;
    let collection: string;
    let env: Record<string, string>;
    let thread: SearchThread | undefined;

    before(async () => {
      opened = await database.open();
      const organization = await insertOrganization(opened.db);
      const { kind, url } = opened;
      library = libraryOn(opened, kind, organization);
      collection = await library.addCollection();
      const connection = await library.addConnection(collection);
      await library.put(collection, connection, [
        { id: 'zebra', text: 'A zebra has stripes.' },
        { id: 'heron', text: 'A heron waits in the reeds.' },
      ]);
      // No other thread can reach a database that lives in this process alone.
      if (url === null) return;
      env = kind === 'sqlite' ? { QUARRY_DATA_DIR: dirname(url) } : { DATABASE_URL: url };
      thread = startSearchThread({ ...measured(), data: dataOf(env), log, onGivenUp });
    });
    after(async () => {
      await thread?.stop();
      await library.close();
    });

    const ask = ({ search }: SearchThread, body: object, signal = never) =>
      search.search(
        {
          organizationId: library.organizationId,
          collectionIds: [collection],
          principals: null,
          body: SearchBody.parse(body),
        },
        signal,
      );

    it('returns the same results for many simultaneous searches as a search in this thread', async (t) => {
      if (!thread) return t.skip('the database lives in this process');
      const bodies = ['zebra', 'heron', 'stripes', 'reeds'].map((query) => ({ ...PLAIN, query }));
      const there = thread;
      const answers = await Promise.all(bodies.map((body) => ask(there, body)));
      const here = await Promise.all(bodies.map((body) => library.search(collection, body)));
      assert.deepEqual(answers, here);
      assert.equal(new Set(answers.map((answer) => answer.results[0]?.score)).size > 1, true);
    });

    it('forgets a search that has been answered', async (t) => {
      if (!thread) return t.skip('the database lives in this process');
      const { search } = thread;
      const request = {
        organizationId: library.organizationId,
        collectionIds: [newId()],
        principals: null,
        body: SearchBody.parse({ ...PLAIN, query: 'zebra' }),
      };
      // All rounds together are more calls than may wait at once.
      for (let i = 0; i < 3; i++) {
        const answers = await Promise.all(
          Array.from({ length: 400 }, () => search.search(request, never)),
        );
        assert.ok(answers.every(({ results }) => results.length === 0));
      }
    });

    it('rejects the search of a caller who has left, and answers the others', async (t) => {
      if (!thread) return t.skip('the database lives in this process');
      const body = { ...PLAIN, query: 'zebra' };
      const gone = new Error('gone');
      await assert.rejects(ask(thread, body, AbortSignal.abort(gone)), gone);
      const leaving = new AbortController();
      const left = ask(thread, body, leaving.signal);
      const other = ask(thread, body);
      leaving.abort(gone);
      await assert.rejects(left, gone);
      assert.equal((await other).results.length, 2);
    });

    it('ends its request to a model when the caller has left', async (t) => {
      if (!thread) return t.skip('the database lives in this process');
      const models = await startModelServer(() => 'hang');
      const model = { QUARRY_LLM: models.named('openai'), OPENAI_API_KEY: KEY };
      const asking = startSearchThread({
        ...measured(),
        data: dataOf({ ...env, ...model }),
        log,
        onGivenUp,
      });
      t.after(async () => {
        await asking.stop();
        await models.close();
      });
      const gone = new Error('gone');
      const leaving = new AbortController();
      const body = { ...PLAIN, query: 'zebra', interpret_filters: false, generate_answer: true };
      const rejected = assert.rejects(ask(asking, body, leaving.signal), gone);
      await until(async () => models.calls.length > 0 || undefined);
      leaving.abort(gone);
      await rejected;
      // A model may take 15 seconds for an answer, after which the request would end anyway.
      const left = models.left().then(() => true);
      assert.ok(await Promise.race([left, sleep(10_000, false, { ref: false })]));
    });

    it('passes on an error with its message and stack, and goes on', async (t) => {
      if (!thread) return t.skip('the database lives in this process');
      const body = { ...PLAIN, query: 'zebra' };
      const wrong = ask(thread, body);
      const nothing = {
        organizationId: library.organizationId,
        collectionIds: [collection],
        principals: null,
      };
      const noBody = thread.search.search(nothing as unknown as SearchRequest, never);
      await assert.rejects(noBody, (error: Error) => {
        assert.ok(!(error instanceof AppError));
        assert.match(error.message, /undefined/);
        assert.match(error.stack ?? '', /search\/service/);
        return true;
      });
      assert.equal((await wrong).results.length, 2);
    });

    // Only this database keeps its index in memory, so only here a collection may be too large for the memory.
    if (database.name === 'postgres')
      it('passes on status, code and message of an AppError', async (t) => {
        if (!thread) return t.skip('the database lives in this process');
        const { chunks } = await opened.db
          .selectFrom('indexes')
          .select('chunks')
          .where('collection_id', '=', collection)
          .executeTakeFirstOrThrow();
        const grow = (to: number) =>
          opened.db
            .updateTable('indexes')
            .set((eb) => ({ chunks: to, version: eb('version', '+', 1) }))
            .where('collection_id', '=', collection)
            .execute();
        await grow(1_000_000_000);
        const body = { ...PLAIN, query: 'zebra' };
        const told = await library.search(collection, body).catch((error: unknown) => error);
        assert.ok(told instanceof AppError);
        await assert.rejects(ask(thread, body), (error) => {
          assert.ok(error instanceof AppError);
          const { status, code, message, faults, retryAfter } = error;
          assert.deepEqual(
            { status, code, message, faults, retryAfter },
            {
              status: 503,
              code: 'index_too_large',
              message: told.message,
              faults: [],
              retryAfter: 600,
            },
          );
          return true;
        });
        await grow(chunks);
        assert.equal((await ask(thread, body)).results.length, 2);
      });
  });
}
