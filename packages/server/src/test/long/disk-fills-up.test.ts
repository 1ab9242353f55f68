/** The disk of the database fills up in the middle of a sync of a folder, and has room again later. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import pg from 'pg';
import { must } from '../../util.ts';
import {
  runToEnd,
  type Server,
  startServer,
  TEST_KEY,
  tempDir,
  untilSynced,
} from '../e2e/process.ts';
import { FILE_SYSTEM, type SmallDisk, smallDisks } from '../e2e/small-disk.ts';
import { ownerOfServer, type PostgresServer, startOwnPostgres } from '../postgres-server.ts';
import { PLAIN } from '../search/plain.ts';
import { until } from '../until.ts';

const FILES = 60;
const WORDS = 8000;
/** A new database and a part of the files have room in it. */
const POSTGRES_KIB = 14 * 1024;
const REASON = /^the (disk of the database is full|database cannot be read or written): /;

const probe = tempDir();
const disks = smallDisks(join(probe.path, 'probe'));

describe('a disk that fills up in the middle of a sync', () => {
  let dir: ReturnType<typeof tempDir>;
  let files: string;
  let disk: SmallDisk | undefined;
  let server: Server | undefined;
  let postgres: PostgresServer | undefined;
  before(() => {
    files = join(probe.path, 'files');
    mkdirSync(files);
    for (let i = 0; i < FILES; i++) {
      const words = Array.from({ length: WORDS }, () => randomBytes(5).toString('hex')).join(' ');
      writeFileSync(join(files, `${i}.md`), `zebra ${words}\n`);
    }
  });
  beforeEach(() => {
    dir = tempDir();
  });
  afterEach(async () => {
    await server?.kill();
    await postgres?.stop();
    disk?.remove();
    dir.remove();
    server = postgres = disk = undefined;
  });
  after(() => probe.remove());

  /** Syncs the folder with `server`, whose database has little room at first and more room later. */
  async function syncFolder(): Promise<void> {
    const { call, address } = must(server, 'it has been started');
    const ready = async () => {
      const { status, body } = await call('GET', '/health/ready');
      return [status, body.detail ?? body.status];
    };
    await call('POST', '/v1/collections', { name: 'Disk', readable_id: 'disk' });
    const { body: connection } = await call('POST', '/v1/source-connections', {
      name: 'Folder',
      short_name: 'files',
      readable_collection_id: 'disk',
      config: { path: files, watch: false },
    });
    const path = `/v1/source-connections/${connection.id}/jobs`;
    const newest = async () => (await call('GET', path)).body[0];
    const waiting = await until(async () => {
      const job = await newest();
      assert.ok(['PENDING', 'RUNNING'].includes(job.status), JSON.stringify(job));
      return job.waits_for && job;
    });
    const { reason } = waiting.waits_for;
    assert.match(reason, REASON);
    assert.deepEqual([waiting.status, waiting.error], ['RUNNING', null]);
    assert.deepEqual(await ready(), [503, `not ready: ${reason}`]);
    const doctor = await runToEnd(['doctor', '--port', new URL(address).port], {
      QUARRY_API_KEY: TEST_KEY,
    });
    assert.equal(doctor.code, 1);
    assert.match(doctor.stdout, new RegExp(`^the service is not ready: ${reason}$`, 'm'));

    must(disk, 'it has been made').makeRoom(server);
    const job = await untilSynced(must(server, 'it has been started'), connection.id);
    assert.deepEqual(
      [job.id, job.status, job.entities_inserted, job.waits_for],
      [waiting.id, 'COMPLETED', FILES, null],
    );
    assert.deepEqual(await ready(), [200, 'ok']);
    const { body } = await call('POST', '/v1/collections/disk/search', {
      ...PLAIN,
      query: 'zebra',
      retrieval_strategy: 'keyword',
    });
    const found = body.results.map(({ entity_id }: { entity_id: string }) => entity_id);
    assert.equal(new Set(found).size, FILES);
  }

  for (const [name, make] of disks)
    it(`[JOB-48] SQLite, ${name}: the job waits and says so, and goes on when there is room`, async () => {
      disk = make(join(dir.path, 'disk'));
      server = await startServer(join(dir.path, 'disk/data'), {
        through: disk.through,
        env: { QUARRY_API_KEY: TEST_KEY, QUARRY_FILES_ROOTS: files },
      });
      await syncFolder();
    });

  const make = disks.get(FILE_SYSTEM);
  if (make)
    it(`[JOB-48] PostgreSQL, ${FILE_SYSTEM}: the job waits and says so, and goes on when there is room`, async () => {
      disk = make(join(dir.path, 'disk'), POSTGRES_KIB);
      postgres = await startOwnPostgres();
      server = await startServer(join(dir.path, 'data'), {
        env: {
          QUARRY_API_KEY: TEST_KEY,
          QUARRY_FILES_ROOTS: files,
          DATABASE_URL: await databaseOn(join(dir.path, 'disk/tables'), postgres.url),
        },
      });
      await syncFolder();
    });
});

/**
 * Makes a database whose tables lie in a new folder, and returns its address. The write-ahead log stays with the
 * server.
 */
async function databaseOn(folder: string, server: string): Promise<string> {
  mkdirSync(folder);
  const owner = await ownerOfServer();
  if (owner) chownSync(folder, owner.uid, owner.gid);
  chmodSync(join(folder, '../..'), 0o711);
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(`create tablespace small location '${folder}'`);
    await client.query('create database quarry tablespace small');
  } finally {
    await client.end();
  }
  const url = new URL(server);
  url.pathname = '/quarry';
  return url.href;
}
