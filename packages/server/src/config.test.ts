import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { readConfig } from './config.ts';

const KEY = `quarry_${'a'.repeat(43)}`;

describe('readConfig', () => {
  it('[GEN-23] [GEN-24] [GEN-25] [GEN-26] needs nothing, and has the defaults of the contract', () => {
    const config = readConfig({});
    assert.equal(config.QUARRY_PORT, 8099);
    assert.equal(config.QUARRY_HOST, '127.0.0.1');
    assert.equal(config.QUARRY_DATA_DIR, resolve('.quarry'));
    assert.equal(config.QUARRY_SAMPLE, true);
    assert.equal(config.QUARRY_ALLOW_LOOPBACK, false);
    assert.deepEqual(config.QUARRY_ROLES, ['api', 'worker']);
  });

  it('reads what is set', () => {
    const config = readConfig({
      QUARRY_PORT: '0',
      QUARRY_SAMPLE: 'false',
      QUARRY_API_KEY: KEY,
      QUARRY_SOURCE_NETWORKS: '10.0.0.0/8, fd00::/8',
      QUARRY_FILES_ROOTS: '/srv/a,/srv/b',
      PATH: 'not ours',
    });
    assert.equal(config.QUARRY_PORT, 0);
    assert.equal(config.QUARRY_SAMPLE, false);
    assert.equal(config.QUARRY_API_KEY, KEY);
    assert.deepEqual(config.QUARRY_SOURCE_NETWORKS, ['10.0.0.0/8', 'fd00::/8']);
    assert.deepEqual(config.QUARRY_FILES_ROOTS, ['/srv/a', '/srv/b']);
    assert.ok(!('PATH' in config));
  });

  it('[GEN-40] names a setting that does not exist', () =>
    assert.throws(() => readConfig({ QUARRY_PROT: '1' }), /^Error: QUARRY_PROT: there is no such/));

  const wrong: Record<string, [Record<string, string>, RegExp]> = {
    'a port that is no number': [
      { QUARRY_PORT: 'http' },
      /^Error: QUARRY_PORT: a port is a number/,
    ],
    'a port above 65535': [
      { QUARRY_PORT: '65536' },
      /^Error: QUARRY_PORT: a port is at most 65535/,
    ],
    '[GEN-32] an unknown role': [{ QUARRY_ROLES: 'api,boss' }, /^Error: QUARRY_ROLES: /],
    '[GEN-32] no role at all': [{ QUARRY_ROLES: '' }, /^Error: QUARRY_ROLES: /],
    '[GEN-32] one role on the embedded database': [{ QUARRY_ROLES: 'api' }, /DATABASE_URL/],
    '[KEY-03] a key of another form': [
      { QUARRY_API_KEY: 'secret' },
      /^Error: QUARRY_API_KEY: a key has the form/,
    ],
    '[KEY-03] a key of 44 characters': [{ QUARRY_API_KEY: `${KEY}a` }, /QUARRY_API_KEY/],
    'a short encryption key': [{ QUARRY_ENCRYPTION_KEY: 'a'.repeat(31) }, /32 characters/],
    '[GEN-31] a database that is not PostgreSQL': [
      { DATABASE_URL: 'mysql://x/y' },
      /DATABASE_URL: use the form/,
    ],
    'a flag that is neither true nor false': [{ QUARRY_SAMPLE: 'no' }, /QUARRY_SAMPLE/],
    'an address without bits': [
      { QUARRY_SOURCE_NETWORKS: '10.0.0.0' },
      /QUARRY_SOURCE_NETWORKS: is no CIDR/,
    ],
    'too little memory for the index': [
      { QUARRY_INDEX_MEMORY_MB: '15' },
      /QUARRY_INDEX_MEMORY_MB: give at least 16/,
    ],
    'memory that is no number': [{ QUARRY_INDEX_MEMORY_MB: '1 GB' }, /a number of megabytes/],
    'too many bits': [{ QUARRY_SOURCE_NETWORKS: '10.0.0.0/33' }, /is no CIDR/],
  };
  for (const [why, [env, message]] of Object.entries(wrong)) {
    it(`${why} stops the start with a sentence`, () =>
      assert.throws(() => readConfig(env), message));
  }

  it('[GEN-35] is a single-user install on loopback with embedded engines only', () => {
    const DATABASE_URL = 'postgres://u:p@localhost/d';
    assert.equal(readConfig({}).singleUser, true);
    assert.equal(readConfig({ QUARRY_HOST: '::1' }).singleUser, true);
    assert.equal(readConfig({ QUARRY_HOST: '0.0.0.0' }).singleUser, false);
    assert.equal(readConfig({ QUARRY_HOST: '1127.0.0.1' }).singleUser, false);
    assert.equal(readConfig({ DATABASE_URL }).singleUser, false);
    const QUARRY_ENCRYPTION_KEY = 'k'.repeat(32);
    const worker = { DATABASE_URL, QUARRY_ROLES: 'worker' };
    assert.throws(() => readConfig(worker), /must share QUARRY_ENCRYPTION_KEY/);
    assert.deepEqual(readConfig({ ...worker, QUARRY_ENCRYPTION_KEY }).QUARRY_ROLES, ['worker']);
  });
});
