/** Tests what the package `quarry` exports, as a program uses it: everything is opened, and nothing listens. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  bodyOf,
  type EmbeddedLog,
  type EmbeddedOptions,
  type EmbeddedQuarry,
  openQuarry,
  QuarryError,
  type SyncJobEvent,
} from '../../embedded.ts';
import { must } from '../../util.ts';
import { DATABASES } from '../databases.ts';
import { KEY, type ModelServer, type Script, startModelServer } from '../models/server.ts';
import { until } from '../until.ts';

const HERON = { entity_id: 'heron', name: 'Heron', text: 'The heron waits at the weir.' };
const NOTES = { name: 'My notes', readable_id: 'my-notes' };
const QUESTION = { query: 'Which bird waits at the weir?' };
const PLAIN = { query: 'which bird waits?', generate_answer: false };
const namesIn = async (quarry: EmbeddedQuarry, principals?: string[]) => {
  const options = principals && { principals };
  const { results } = await quarry.search('my-notes', PLAIN, options);
  return results.map(({ metadata }) => metadata.name).toSorted();
};

describe('an embedded Quarry', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quarry-embedded-'));
  const dataDir = join(folder, 'data');
  let quarry: EmbeddedQuarry;
  before(async () => {
    quarry = await openQuarry({ dataDir });
  });
  after(async () => {
    await quarry.close();
    rmSync(folder, { recursive: true });
  });

  it('finds what was pushed as soon as the push has returned, and no longer what was deleted', async () => {
    const { readable_id } = await quarry.collections.ensure(NOTES);
    const job = await quarry.push(readable_id, { entities: [HERON] });
    assert.deepEqual([job.status, job.entities_inserted], ['COMPLETED', 1]);
    assert.deepEqual(await namesIn(quarry), ['Heron']);
    const again = await quarry.push(readable_id, { delete: ['heron'] });
    assert.deepEqual([again.status, again.entities_deleted], ['COMPLETED', 1]);
    assert.deepEqual(await namesIn(quarry), []);
  });

  it('makes one push connection for a collection, however many pushes begin together', async () => {
    await quarry.collections.create({ name: 'Together', readable_id: 'together' });
    const pushes = Array.from({ length: 5 }, (_, i) =>
      quarry.push('together', { entities: [{ ...HERON, entity_id: `heron-${i}` }] }),
    );
    const connections = new Set((await Promise.all(pushes)).map((job) => job.source_connection_id));
    const [only, ...others] = await quarry.connections.list('together');
    assert.deepEqual([[...connections], others], [[must(only).id], []]);
  });

  it('finds on behalf of a person only what the person may see', async () => {
    const access = (viewer: string) => ({ viewers: [viewer], is_public: false });
    await quarry.push('my-notes', {
      entities: [
        { ...HERON, access: access('user:ann@example.org') },
        { ...HERON, entity_id: 'diver', name: 'Diver', access: access('group:divers') },
      ],
    });
    assert.deepEqual(await namesIn(quarry), ['Diver', 'Heron']);
    assert.deepEqual(await namesIn(quarry, ['user:ben@example.org', 'group:divers']), ['Diver']);
  });

  it('keeps a collection that exists, and says why a call is refused as the API does', async () => {
    const { id } = await quarry.collections.get('my-notes');
    assert.equal((await quarry.collections.ensure({ ...NOTES, name: 'Other' })).id, id);
    await assert.rejects(quarry.collections.create(NOTES), { status: 409 });
    await assert.rejects(quarry.search('fish', PLAIN), (error) => {
      assert.ok(error instanceof QuarryError);
      assert.deepEqual([error.status, error.code], [404, 'not_found']);
      assert.match(error.message, /'fish'/);
      return true;
    });
    const name = 'x';
    await assert.rejects(quarry.collections.create({ name }), { status: 422, code: 'invalid' });
  });

  it('lists sources, and has every other operation in its client', async () => {
    const names = (await quarry.sources.list()).map(({ short_name }) => short_name);
    assert.ok(names.length > 20 && names.includes('files'), String(names));
    const { config_fields: fields } = await quarry.sources.get('files');
    assert.ok(fields.fields.some(({ name }) => name === 'path'));
    const { version } = await bodyOf(quarry.client.GET('/v1/system'));
    assert.match(version, /^\d+\.\d+\.\d+/);
  });

  it('syncs a folder, and deletes the connection with its records', async () => {
    const path = join(folder, 'birds');
    mkdirSync(path);
    writeFileSync(join(path, 'bittern.md'), 'The bittern booms in the reeds.');
    await quarry.collections.create({ name: 'Folder', readable_id: 'folder' });
    const { id } = await quarry.connections.create({
      name: 'Birds',
      short_name: 'files',
      readable_collection_id: 'folder',
      config: { path },
    });
    const job = await quarry.connections.synced(id);
    assert.deepEqual([job.status, job.entities_inserted], ['COMPLETED', 1]);
    const found = async () => (await quarry.search('folder', PLAIN)).results.length;
    assert.equal(await found(), 1);
    await quarry.connections.delete(id);
    assert.equal(await found(), 0);
  });

  it('has one key, which only its user can read, and finds everything when it is opened again', async () => {
    const file = join(dataDir, 'command.key');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const key = readFileSync(file, 'utf8');
    await quarry.close();
    quarry = await openQuarry({ dataDir });
    assert.deepEqual(await namesIn(quarry), ['Diver', 'Heron']);
    assert.equal(readFileSync(file, 'utf8'), key);
    const keys = () => bodyOf(quarry.client.GET('/v1/api-keys'));
    assert.deepEqual((await keys()).length, 1);
    await quarry.close();
    rmSync(file);
    quarry = await openQuarry({ dataDir });
    assert.deepEqual(await namesIn(quarry), ['Diver', 'Heron']);
    assert.deepEqual((await keys()).length, 2);
  });

  it('is opened once at a time', async () => {
    const twice = openQuarry({ dataDir });
    await assert.rejects(twice, /data is open in another program, or already in this one: close/);
    assert.deepEqual(await namesIn(quarry), ['Diver', 'Heron']);
  });

  it('ends the calls that have begun before it closes, and refuses those that come later', async () => {
    const [connection] = await quarry.connections.list('my-notes');
    const { id } = must(connection);
    const entities = Array.from({ length: 500 }, (_, i) => ({
      entity_id: `tern-${i}`,
      name: 'Tern',
      text: `The tern dives. ${'It rests. '.repeat(1000)}`,
    }));
    const pushed = quarry.push('my-notes', { entities }, { connection: id, wait: false });
    const closings: string[] = [];
    void quarry.close().then(() => closings.push('first'));
    await quarry.close();
    assert.deepEqual(closings, ['first']);
    assert.equal((await pushed).status, 'PENDING');
    await using again = await openQuarry({ dataDir });
    const job = await again.connections.synced(id);
    assert.deepEqual([job.status, job.entities_inserted], ['COMPLETED', 500]);
    await assert.rejects(quarry.collections.list(), {
      message: 'this Quarry is closed: open it again with openQuarry',
    });
    quarry = again;
  });
});

describe('the options of an embedded Quarry', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quarry-embedded-'));
  const dataDir = join(folder, 'data');
  after(() => rmSync(folder, { recursive: true }));

  for (const [options, message] of [
    [{ dataDir: 5 }, /^dataDir: Invalid input: expected string, received number$/],
    [{ folder: 'x' }, /^folder: this option does not exist: use dataDir, databaseUrl, /],
    [{ apiKey: 'secret' }, /^apiKey: a key has the form quarry_ and 43 characters/],
    [{ encryptionKey: 'short' }, /^encryptionKey: use at least 32 characters$/],
    [{ databaseUrl: 'mysql://x' }, /^databaseUrl: use the form postgres:\/\//],
    [{ databaseUrl: 'postgres://x/y' }, /^databaseUrl needs apiKey, because/],
    [{ worker: false }, /^worker splits the service over processes, which needs databaseUrl/],
    [{ settings: { QUARRY_HISTORY_DAYS: '0' } }, /^QUARRY_HISTORY_DAYS: give at least 1 day$/],
    [{ settings: { QUARRY_TYPO: 'x' } }, /^settings\.QUARRY_TYPO: this setting does not exist/],
    [{ settings: { QUARRY_PORT: '1' } }, /^settings\.QUARRY_PORT: it has no effect, because/],
    [{ settings: { QUARRY_DATA_DIR: 'x' } }, /^settings\.\w+: give the option dataDir instead$/],
  ] as [EmbeddedOptions, RegExp][])
    it(`are refused with the sentence of the setting: ${JSON.stringify(options)}`, async () => {
      await assert.rejects(openQuarry({ dataDir, ...options }), { message });
    });

  it('leave the environment alone', async () => {
    process.env.QUARRY_DATA_DIR = join(folder, 'of-environment');
    process.env.QUARRY_HISTORY_DAYS = 'wrong';
    try {
      await using quarry = await openQuarry({ dataDir });
      assert.deepEqual(await quarry.collections.list(), []);
    } finally {
      delete process.env.QUARRY_DATA_DIR;
      delete process.env.QUARRY_HISTORY_DAYS;
    }
  });

  it('name the folder that cannot be used, and the key that is not valid', async () => {
    writeFileSync(join(folder, 'file'), '');
    await assert.rejects(openQuarry({ dataDir: join(folder, 'file') }), {
      message: /^the data directory .*file cannot be used .*: choose another with dataDir$/,
    });
    const strange = openQuarry({ dataDir, apiKey: `quarry_${'x'.repeat(43)}` });
    await assert.rejects(strange, { message: /^apiKey is not a valid key: it was revoked/ });
    await using quarry = await openQuarry({ dataDir });
    assert.deepEqual(await quarry.collections.list(), []);
  });

  for (const threads of [false, true])
    it(`give the log to the program, without secrets, threads: ${threads}`, async () => {
      const lines: [level: string, fields: object, message: string][] = [];
      const tell = (level: string) => (fields: object, message: string) =>
        lines.push([level, fields, message]);
      const log = Object.fromEntries(
        ['debug', 'info', 'warn', 'error'].map((level) => [level, tell(level)]),
      ) as unknown as EmbeddedLog;
      await using quarry = await openQuarry({ dataDir, log, threads, logLevel: 'debug' });
      await quarry.collections.ensure({ name: 'Folder', readable_id: 'folder' });
      await quarry.connections.create({
        name: 'Birds',
        short_name: 'files',
        readable_collection_id: 'folder',
        config: { path: folder },
      });
      // The worker, which is a thread of its own with `threads`, says that it watches the folder.
      const watched = () => lines.find(([, , message]) => message === 'a folder is watched');
      assert.deepEqual(must(await until(watched))[0], 'debug');
      const requests = lines.filter(([, , message]) => message === 'POST /v1/collections');
      assert.deepEqual(requests.map(([level]) => level).slice(0, 1), ['debug']);
      const key = readFileSync(join(dataDir, 'command.key'), 'utf8').trim();
      assert.ok(!JSON.stringify(lines).includes(key));
    });
});

describe('streams of an embedded Quarry', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quarry-embedded-'));
  let models: ModelServer;
  let script: Script = () => undefined;
  let quarry: EmbeddedQuarry;
  before(async () => {
    models = await startModelServer((asked) => script(asked));
    quarry = await openQuarry({
      dataDir: join(folder, 'data'),
      settings: {
        QUARRY_LLM: models.named('openai', 'wise'),
        QUARRY_EMBEDDER: models.named('openai', 'near'),
        QUARRY_EMBEDDER_DIMENSIONS: '64',
        OPENAI_API_KEY: KEY,
      },
    });
    await quarry.collections.create(NOTES);
    await quarry.push('my-notes', { entities: [HERON] });
  });
  after(async () => {
    await quarry.close();
    await models.close();
    rmSync(folder, { recursive: true });
  });

  const said = (purpose: string | null | undefined) => {
    if (purpose === 'plan') return { says: { reasoning: '', strategy: '', queries: [] } };
    if (purpose === 'answer') return { says: { answered: true, text: 'A heron [1].' } };
    return purpose === 'evaluate'
      ? {
          says: {
            quality_score: 1,
            needs_refinement: false,
            relevant: [1],
            queries: [],
            read_around: [],
          },
        }
      : undefined;
  };

  /** The model no longer answers whether the results suffice. Resolves when it is asked. */
  function hanging(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    script = ({ purpose }) => {
      if (purpose !== 'evaluate') return said(purpose);
      resolve();
      return 'hang';
    };
    return promise;
  }

  it('[STR-03] yield each step of an answer when it is made', async () => {
    const read = Promise.withResolvers<void>();
    script = async ({ purpose }) => {
      if (purpose === 'evaluate') await read.promise;
      return said(purpose);
    };
    const types: string[] = [];
    for await (const { type } of quarry.ask('my-notes', QUESTION)) {
      types.push(type);
      if (type === 'search') read.resolve();
    }
    assert.deepEqual(types, ['planning', 'search', 'evaluation', 'done']);
  });

  it('ask nothing before somebody reads', async () => {
    // A request that failed while nobody reads would be an unhandled rejection, which ends a program.
    let plans = 0;
    script = ({ purpose }) => {
      if (purpose === 'plan') plans++;
      return said(purpose);
    };
    quarry.ask('my-notes', QUESTION);
    for await (const _event of quarry.ask('my-notes', QUESTION));
    assert.equal(plans, 1);
  });

  for (const how of ['leaves the loop', 'aborts'])
    it(`end their request when the reader ${how}`, async () => {
      const asked = hanging();
      const left = models.left();
      const leave = new AbortController();
      const read = async () => {
        const options = { signal: leave.signal };
        for await (const { type } of quarry.ask('my-notes', QUESTION, options))
          if (type === 'search') {
            await asked;
            if (how === 'leaves the loop') break;
            leave.abort(new Error('enough'));
          }
      };
      if (how === 'aborts') await assert.rejects(read, /enough/);
      else await read();
      await left;
    });

  it('[JOB-40] yield the progress of a job before it has ended', async () => {
    const told = Promise.withResolvers<void>();
    script = async ({ path }) => {
      if (path.endsWith('/embeddings')) await told.promise;
      return undefined;
    };
    const entities = [{ ...HERON, text: 'The heron has caught a fish.' }];
    const job = await quarry.push('my-notes', { entities }, { wait: false });
    const events: SyncJobEvent[] = [];
    for await (const event of quarry.connections.progress(job.source_connection_id)) {
      events.push(event);
      told.resolve();
    }
    assert.ok(models.calls.some(({ path }) => path.endsWith('/embeddings')));
    assert.equal(events[0]?.type, 'progress');
    const last = events.at(-1);
    assert.deepEqual(last?.type === 'done' && [last.job.id, last.job.status], [
      job.id,
      'COMPLETED',
    ]);
  });

  it('end with an error when Quarry closes meanwhile', async () => {
    const asked = hanging();
    const types: string[] = [];
    let closed: Promise<void> | undefined;
    for await (const event of quarry.ask('my-notes', QUESTION)) {
      types.push(event.type === 'error' ? event.code : event.type);
      if (event.type !== 'search') continue;
      await asked;
      closed = quarry.close();
    }
    assert.deepEqual(types, ['planning', 'search', 'unavailable']);
    await closed;
  });
});

const postgres = must(DATABASES.find(({ name }) => name === 'postgres'));
const skip = process.env.TEST_POSTGRES_URL === undefined && 'the database lives in this process';
describe('an embedded Quarry on PostgreSQL', { skip }, () => {
  it('is open in several programs with one key, and one of them works for all', async () => {
    const database = await postgres.open();
    const folder = mkdtempSync(join(tmpdir(), 'quarry-embedded-'));
    const open = (more: Partial<EmbeddedOptions> = {}) =>
      openQuarry({
        dataDir: folder,
        databaseUrl: must(database.url),
        apiKey: `quarry_${'k'.repeat(43)}`,
        encryptionKey: 'e'.repeat(32),
        ...more,
      });
    const works = await open();
    const asks = await open({ worker: false });
    await asks.collections.create(NOTES);
    const { status } = await asks.push('my-notes', { entities: [HERON] });
    assert.deepEqual([status, await namesIn(works)], ['COMPLETED', ['Heron']]);
    const strange = open({ apiKey: `quarry_${'w'.repeat(43)}` });
    await assert.rejects(strange, { message: /^apiKey is not a valid key: / });
    await Promise.all([works.close(), asks.close()]);
    await database.close();
    rmSync(folder, { recursive: true });
  });
});
