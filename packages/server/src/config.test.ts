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

  it('takes every size of a network, and folders from where it was started', () => {
    const networks = ['10.1.2.3/32', '0.0.0.0/0', '::1/128', '::/0'];
    const config = readConfig({
      QUARRY_SOURCE_NETWORKS: networks.join(','),
      QUARRY_FILES_ROOTS: 'notes,',
      QUARRY_DATA_DIR: 'data',
      QUARRY_HOST: undefined,
    });
    assert.deepEqual(config.QUARRY_SOURCE_NETWORKS, networks);
    assert.deepEqual(config.QUARRY_FILES_ROOTS, [resolve('notes')]);
    assert.equal(config.QUARRY_DATA_DIR, resolve('data'));
    assert.equal(config.QUARRY_LOG_LEVEL, 'info');
    assert.ok(Object.isFrozen(config));
  });

  it('[GEN-31] takes an address of PostgreSQL in either form', () => {
    for (const DATABASE_URL of ['postgres://u:p@localhost/d', 'postgresql://u:p@localhost/d'])
      assert.equal(readConfig({ DATABASE_URL }).DATABASE_URL, DATABASE_URL);
  });

  it('takes no setting that is there without a value', () =>
    assert.equal(readConfig({ QUARRY_UNKNOWN: undefined }).QUARRY_PORT, 8099));

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
    'too many bits of IPv6': [{ QUARRY_SOURCE_NETWORKS: 'fd00::/129' }, /is no CIDR/],
    'bits that are no number': [{ QUARRY_SOURCE_NETWORKS: '10.0.0.0/8x' }, /is no CIDR/],
    'a name instead of a network': [{ QUARRY_SOURCE_NETWORKS: 'localhost/8' }, /is no CIDR/],
    'an empty address': [{ QUARRY_HOST: '' }, /^Error: QUARRY_HOST: /],
    'an empty data directory': [{ QUARRY_DATA_DIR: '' }, /^Error: QUARRY_DATA_DIR: /],
    'a log level that does not exist': [{ QUARRY_LOG_LEVEL: 'trace' }, /QUARRY_LOG_LEVEL/],
  };
  for (const [why, [env, message]] of Object.entries(wrong)) {
    it(`${why} stops the start with a sentence`, () =>
      assert.throws(() => readConfig(env), message));
  }

  it('[GEN-35] is a single-user install on loopback with embedded engines only', () => {
    const DATABASE_URL = 'postgres://u:p@localhost/d';
    assert.equal(readConfig({}).singleUser, true);
    for (const QUARRY_HOST of ['::1', 'localhost', '127.1.2.3'])
      assert.equal(readConfig({ QUARRY_HOST }).singleUser, true, QUARRY_HOST);
    assert.equal(readConfig({ QUARRY_HOST: '0.0.0.0' }).singleUser, false);
    for (const QUARRY_HOST of ['1127.0.0.1', '127.0.0.1.example.org'])
      assert.equal(readConfig({ QUARRY_HOST }).singleUser, false, QUARRY_HOST);
    assert.equal(readConfig({ DATABASE_URL }).singleUser, false);
    const QUARRY_ENCRYPTION_KEY = 'k'.repeat(32);
    const worker = { DATABASE_URL, QUARRY_ROLES: 'worker' };
    assert.throws(() => readConfig(worker), /must share QUARRY_ENCRYPTION_KEY/);
    assert.deepEqual(readConfig({ ...worker, QUARRY_ENCRYPTION_KEY }).QUARRY_ROLES, ['worker']);
  });
});
