/** Backs up, restores and moves real services by the real command line. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { tableNames } from '../../db/catalog.ts';
import { connect, type DatabaseKind } from '../../db/connect.ts';
import { must } from '../../util.ts';
import { createDatabase } from '../databases.ts';
import { PLAIN } from '../search/plain.ts';
import { until } from '../until.ts';
import { launch, runToEnd, type Server, startServer, TEST_KEY, tempDir } from './process.ts';

const POSTGRES = process.env.TEST_POSTGRES_URL;
const SKIP = POSTGRES === undefined && 'needs a PostgreSQL server';
const WORDS = ['heron', 'kestrel', 'plover', 'wagtail', 'dunnock', 'siskin'];

/** A place in which a service can keep its data. */
interface Place {
  readonly kind: DatabaseKind;
  readonly url: string;
  readonly dataDir: string;
  readonly env: Record<string, string>;
}

for (const kind of ['sqlite', 'postgres'] as const)
  describe(`quarry backup, restore and migrate-store of ${kind}`, { skip: SKIP }, () => {
    const other = kind === 'sqlite' ? 'postgres' : 'sqlite';
    const dir = tempDir();
    const servers: Server[] = [];
    const drops: (() => Promise<void>)[] = [];
    let source: Place;
    let server: Server;
    let connection: string;
    let subscription: string;

    const placeOf = async (of: DatabaseKind, name: string): Promise<Place> => {
      const dataDir = join(dir.path, name);
      mkdirSync(dataDir);
      const env = { QUARRY_DATA_DIR: dataDir };
      if (of === 'sqlite') return { kind: of, url: join(dataDir, 'quarry.db'), dataDir, env };
      const { url, drop } = await createDatabase(must(POSTGRES));
      drops.push(drop);
      return { kind: of, url, dataDir, env: { ...env, DATABASE_URL: url } };
    };
    const start = async ({ dataDir, env }: Place): Promise<Server> => {
      const started = await startServer(dataDir, { env: { ...env, QUARRY_API_KEY: TEST_KEY } });
      servers.push(started);
      return started;
    };
    const run = async (place: Place, ...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await runToEnd(args, place.env);
      assert.equal(code, 0, stderr);
      return stdout;
    };
    const refused = async (place: Place, ...args: string[]): Promise<string> => {
      const { code, stderr } = await runToEnd(args, place.env);
      assert.equal(code, 1, stderr);
      return stderr;
    };
    const search = async (at: Server) => {
      const { body } = await at.call('POST', '/v1/collections/birds/search', {
        ...{ ...PLAIN, query: 'heron and kestrel', limit: 20 },
      });
      return body.results.map((one: { entity_id: string; score: number }) => [
        one.entity_id,
        one.score,
      ]);
    };
    const secretOf = async (at: Server) =>
      (await at.call('GET', `/v1/webhooks/subscriptions/${subscription}?include_secret=true`)).body
        .secret;
    let pushed = 0;
    const push = async () => {
      const entities = Array.from({ length: 40 }, () => {
        const n = pushed++;
        const text = WORDS.map((word, i) => `${word} ${(n * (i + 3)) % 17}`).join(' ');
        return { entity_id: `r${n}`, name: `Bird ${n}`, text };
      });
      const { status } = await server.call(
        'POST',
        `/v1/source-connections/${connection}/entities`,
        { entities },
      );
      assert.ok(status < 300, String(status));
    };

    before(async () => {
      source = await placeOf(kind, 'source');
      server = await start(source);
      await server.call('POST', '/v1/collections', { name: 'Birds', readable_id: 'birds' });
      const made = await server.call('POST', '/v1/source-connections', {
        name: 'Pushes',
        short_name: 'push',
        readable_collection_id: 'birds',
      });
      connection = made.body.id;
      const hook = { url: 'https://example.com/hook', event_types: ['sync.completed'] };
      subscription = (await server.call('POST', '/v1/webhooks/subscriptions', hook)).body.id;
    });
    after(async () => {
      for (const one of servers) await one.kill();
      for (const drop of drops) await drop();
      dir.remove();
    });

    it('takes one consistent state while records are written', async () => {
      let isOver = false;
      const pushes = (async () => {
        while (!isOver) {
          await push();
          await until(async () => pushed - (await entitiesIn(source)) < 200);
        }
      })();
      try {
        const file = join(dir.path, 'moment');
        const seen = await entitiesIn(source);
        await until(async () => (await entitiesIn(source)) > seen);
        await run(source, 'backup', file);
        const target = await placeOf('sqlite', 'moment of the source');
        await run(target, 'restore', file);
        await assertConsistent(target);
      } finally {
        isOver = true;
        await pushes;
      }
      await until(() => isQuiet(source));
    });

    it('refuses to replace a file, and lets only its user read it', async () => {
      const file = join(dir.path, 'kept');
      writeFileSync(file, 'kept');
      assert.match(await refused(source, 'backup', file), /kept exists: choose another name/);
      const nowhere = join(dir.path, 'absent', 'file');
      assert.match(
        await refused(source, 'backup', nowhere),
        /absent\/file cannot be written: ENOENT/,
      );
      assert.match(await run(source, 'backup', file, '--force'), /was read again: [\d,]+ rows/);
      assert.equal(statSync(file).mode & 0o777, 0o600);
      assert.deepEqual(
        readdirSync(dir.path).filter((name) => name.includes('partial')),
        [],
      );
      assert.match(
        await run(source, 'restore', '--check', file),
        /does not hold the encryption key/,
      );
    });

    it('restores into the other database, where searches find the same and the key opens', async () => {
      const file = join(dir.path, 'final');
      const stdout = await run(source, 'backup', file);
      const [, digest] = /digest (\w{64})/.exec(stdout) ?? [];
      const target = await placeOf(other, 'target');
      const restored = await run(target, 'restore', file);
      assert.match(restored, new RegExp(`is restored: .*digest ${digest}`));
      assert.match(restored, /sealed with another encryption key, and a start is refused until/);
      const early = await runToEnd(['start', '--port', '0', '--no-sample'], target.env);
      assert.match(early.stderr, /the encryption key is not the one .* restore encryption\.key/);
      assert.match(await refused(target, 'restore', file), /is not empty: name an empty database/);

      const withKey = join(dir.path, 'with-key');
      assert.match(
        await run(source, 'backup', withKey, '--with-key'),
        /whoever can read the file can open all stored credentials/,
      );
      const second = await placeOf(other, 'second');
      assert.doesNotMatch(await run(second, 'restore', withKey), /another encryption key/);
      const renewed = { QUARRY_ENCRYPTION_KEY: 'n'.repeat(40) };
      const strange = { ...source, env: { ...source.env, ...renewed } };
      const wrong = join(dir.path, 'wrong-key');
      assert.match(
        await refused(strange, 'backup', wrong, '--with-key'),
        /does not open all that is stored: .* run quarry rekey first/,
      );
      assert.equal(existsSync(wrong), false);
      const third = await placeOf(other, 'third');
      writeFileSync(join(third.dataDir, 'encryption.key'), 'k'.repeat(40), { mode: 0o600 });
      assert.match(await refused(third, 'restore', withKey), /holds another encryption key than/);
      assert.equal(await hasTables(third), false);
      const copy = await start(second);
      assert.deepEqual(await search(copy), await search(server));
      assert.equal((await search(copy)).length, 20);
      assert.match(await secretOf(copy), /^whsec_/);
      assert.equal(await secretOf(copy), await secretOf(server));
      await copy.stop();
    });

    it('restores again after it was killed in the middle', async () => {
      const file = join(dir.path, 'again');
      await run(source, 'backup', file);
      const target = await placeOf(other, 'killed');
      const { child, exited } = launch(['restore', file], target.env);
      await until(() => isFilling(target));
      child.kill('SIGKILL');
      assert.equal((await exited).signal, 'SIGKILL');
      assert.equal(await hasTables(target), false);
      assert.match(await run(target, 'restore', file), /is restored/);
      await assertConsistent(target);
    });

    it('moves everything while the service is stopped, and back', async () => {
      const expected = await search(server);
      const target = await placeOf(other, 'moved');
      const to = target.kind === 'sqlite' ? target.dataDir : target.url;
      assert.match(
        await refused(source, 'migrate-store', '--to', to),
        kind === 'sqlite' ? /is in use by another Quarry: stop it/ : /other open connection/,
      );
      assert.equal(await hasTables(target), false);
      const unknown = await refused(
        source,
        'migrate-store',
        '--to',
        'postgress://me:hidden@host/a',
      );
      assert.match(unknown, /--to takes an address that begins with postgres:\/\//);
      assert.doesNotMatch(unknown, /hidden/);
      await server.stop();
      // A key of a table may have the NUL character, which jsonb refuses.
      const cursor = JSON.stringify({ table: 'birds', after: 'a\0b' });
      await withDatabase(source, (db) =>
        sql`update connections set cursor = ${cursor}`.execute(db),
      );
      const there = await run(source, 'migrate-store', '--to', to);
      assert.equal(await cursorIn(target), cursor);
      const digest = /Both databases hold the same: .*digest (\w{64})/.exec(there)?.[1];
      assert.ok(digest);
      const back = await placeOf(kind, 'back');
      const from = back.kind === 'sqlite' ? back.dataDir : back.url;
      assert.match(await run(target, 'migrate-store', '--to', from), new RegExp(digest));
      assert.match(await refused(source, 'migrate-store', '--to', from), /is not empty/);
      const secret = { QUARRY_ENCRYPTION_KEY: keyIn(source) };
      const again = await start({ ...back, env: { ...back.env, ...secret } });
      assert.deepEqual(await search(again), expected);
      assert.match(await secretOf(again), /^whsec_/);
    });
  });

const keyIn = ({ dataDir }: Place): string =>
  readFileSync(join(dataDir, 'encryption.key'), 'utf8').trim();

async function withDatabase<T>(
  { url }: Place,
  work: (db: ReturnType<typeof connect>) => Promise<T>,
): Promise<T> {
  const db = connect(url);
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

const cursorIn = (place: Place): Promise<string | undefined> =>
  withDatabase(place, async (db) => {
    const { rows } = await sql<{ text: string }>`
      select cast(cursor as text) as text from connections`.execute(db);
    return rows[0]?.text;
  });

const entitiesIn = (place: Place): Promise<number> =>
  withDatabase(place, async (db) => {
    const { rows } = await sql<{ n: number }>`select count(*) as n from entities`.execute(db);
    return Number(rows[0]?.n);
  });

/** The counters belong to the rows, which is only the case within one state of the database. */
const assertConsistent = (place: Place): Promise<void> =>
  withDatabase(place, async (db) => {
    const count = async (from: string): Promise<number> => {
      const { rows } = await sql<{ n: number }>`select ${sql.raw(from)}`.execute(db);
      return Number(rows[0]?.n);
    };
    const entities = await count('count(*) as n from entities');
    assert.ok(entities > 0);
    assert.equal(await count('sum(count) as n from entity_counts'), entities);
    assert.equal(await count('sum(entities_inserted) as n from sync_jobs'), entities);
    const chunks = await count('count(*) as n from chunks');
    assert.equal(await count('count(*) as n from chunk_bodies'), chunks);
    assert.equal(await count('sum(chunks) as n from indexes'), chunks);
    assert.equal(
      await count('sum(count) as n from job_counts'),
      await count('count(*) as n from sync_jobs'),
    );
  });

/** Tells whether a restore has begun to write. */
const isFilling = async (place: Place): Promise<boolean> => {
  if (place.kind === 'sqlite') return existsSync(join(place.dataDir, 'quarry.db.restoring-wal'));
  return withDatabase(place, async (db) => {
    const { rows } = await sql`select 1 from pg_stat_activity
      where datname = current_database() and query like 'insert into%'`.execute(db);
    return rows.length > 0;
  });
};

/** A SQLite file that is absent has no tables. */
const hasTables = async (place: Place): Promise<boolean> =>
  place.kind === 'sqlite'
    ? existsSync(place.url)
    : withDatabase(place, async (db) => (await tableNames(db, place.kind)).length > 0);

const isQuiet = (place: Place): Promise<boolean> =>
  withDatabase(place, async (db) => {
    const { rows } = await sql`select 1 from jobs where name like '%sync%'`.execute(db);
    return rows.length === 0;
  });
