import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { readConfig, transformerRuntimeOf } from './config.ts';
import { SECRET_SETTINGS } from './secret-settings.ts';

const KEY = `quarry_${'a'.repeat(43)}`;

describe('readConfig', () => {
  it('[GEN-23] [GEN-24] [GEN-25] [GEN-26] needs no settings, and has the documented defaults', () => {
    const config = readConfig({});
    assert.equal(config.QUARRY_PORT, 8099);
    assert.equal(config.QUARRY_HOST, '127.0.0.1');
    assert.equal(config.QUARRY_DATA_DIR, resolve('.quarry'));
    assert.equal(config.QUARRY_SAMPLE, true);
    assert.equal(config.QUARRY_ALLOW_LOOPBACK, false);
    assert.deepEqual(config.QUARRY_ROLES, ['api', 'worker']);
  });

  it('reads the given settings', () => {
    const config = readConfig({
      QUARRY_PORT: '0',
      QUARRY_SAMPLE: 'false',
      QUARRY_API_KEY: KEY,
      QUARRY_SOURCE_NETWORKS: '10.0.0.0/8, fd00::/8',
      QUARRY_FILES_ROOTS: '/srv/a,/srv/b',
      QUARRY_TRUSTED_PROXIES: '127.0.0.1, ::1,10.1.0.0/16',
      PATH: 'not ours',
    });
    assert.equal(config.QUARRY_PORT, 0);
    assert.equal(config.QUARRY_SAMPLE, false);
    assert.equal(config.QUARRY_API_KEY, KEY);
    assert.deepEqual(config.QUARRY_SOURCE_NETWORKS, ['10.0.0.0/8', 'fd00::/8']);
    assert.deepEqual(config.QUARRY_FILES_ROOTS, ['/srv/a', '/srv/b']);
    assert.deepEqual(config.QUARRY_TRUSTED_PROXIES, ['127.0.0.1', '::1', '10.1.0.0/16']);
    assert.ok(!('PATH' in config));
  });

  it('accepts networks of every size, and resolves folders from the working directory', () => {
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

  it('[GEN-31] accepts both forms of an address of PostgreSQL', () => {
    for (const DATABASE_URL of ['postgres://u:p@localhost/d', 'postgresql://u:p@localhost/d'])
      assert.equal(readConfig({ DATABASE_URL }).DATABASE_URL, DATABASE_URL);
  });

  it('ignores a setting that is undefined', () =>
    assert.equal(readConfig({ QUARRY_UNKNOWN: undefined }).QUARRY_PORT, 8099));

  it('[GEN-40] refuses an unknown setting with its name', () =>
    assert.throws(
      () => readConfig({ QUARRY_PROT: '1' }),
      /^Error: QUARRY_PROT: this setting does not exist/,
    ));

  it('reads models with their keys, at their provider or at another address', () => {
    const config = readConfig({
      QUARRY_LLM:
        'openai/gpt-5-mini, anthropic/claude-x,openai-compatible/@cf/meta/llama@http://gpu:8000/v1/',
      QUARRY_EMBEDDER: 'ollama/nomic-embed-text:latest',
      QUARRY_EMBEDDER_QUERY_PREFIX: 'search_query: ',
      QUARRY_RERANKER: 'voyage/rerank-2.5',
      OPENAI_API_KEY: 'sk-1',
      ANTHROPIC_API_KEY: 'sk-2',
      VOYAGE_API_KEY: 'pa-3',
      COHERE_API_KEY: '',
    });
    assert.equal(config.QUARRY_LLM.length, 3);
    assert.equal(config.QUARRY_EMBEDDER_QUERY_PREFIX, 'search_query: ');
    assert.equal(config.OPENAI_API_KEY, 'sk-1');
    assert.equal(config.COHERE_API_KEY, undefined);
    assert.equal(config.singleUser, true);
    const none = readConfig({});
    assert.deepEqual(
      [none.QUARRY_LLM, none.QUARRY_EMBEDDER, none.QUARRY_RERANKER],
      [[], 'builtin', 'builtin'],
    );
  });

  it('counts the keys of models as secret settings', () => {
    for (const name of ['OPENAI_API_KEY', 'OPENAI_COMPATIBLE_API_KEY', 'GEMINI_API_KEY'])
      assert.ok(SECRET_SETTINGS.has(name), name);
  });

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
    'a second way to a database that has no first one': [
      { DATABASE_DIRECT_URL: 'postgres://u:p@localhost/d' },
      /^Error: DATABASE_DIRECT_URL .*: set DATABASE_URL too$/,
    ],
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
      /QUARRY_SOURCE_NETWORKS: is not a CIDR/,
    ],
    'too little memory for the index': [
      { QUARRY_INDEX_MEMORY_MB: '15' },
      /QUARRY_INDEX_MEMORY_MB: give at least 16/,
    ],
    'no thread to search in': [
      { QUARRY_SEARCH_THREADS: '0' },
      /QUARRY_SEARCH_THREADS: give at least 1/,
    ],
    'too few connections': [
      { QUARRY_DATABASE_CONNECTIONS: '14' },
      /QUARRY_DATABASE_CONNECTIONS: give at least 15/,
    ],
    'memory that is no number': [{ QUARRY_INDEX_MEMORY_MB: '1 GB' }, /a number of megabytes/],
    'bits twice': [{ QUARRY_SOURCE_NETWORKS: '10.0.0.0/8/9' }, /is not a CIDR/],
    'too many bits': [{ QUARRY_SOURCE_NETWORKS: '10.0.0.0/33' }, /is not a CIDR/],
    'too many bits of IPv6': [{ QUARRY_SOURCE_NETWORKS: 'fd00::/129' }, /is not a CIDR/],
    'bits that are no number': [{ QUARRY_SOURCE_NETWORKS: '10.0.0.0/8x' }, /is not a CIDR/],
    'a name instead of a network': [{ QUARRY_SOURCE_NETWORKS: 'localhost/8' }, /is not a CIDR/],
    'a name of a proxy': [
      { QUARRY_TRUSTED_PROXIES: '127.0.0.1,proxy' },
      /^Error: QUARRY_TRUSTED_PROXIES: give addresses or networks of proxies, such as 127\.0\.0\.1/,
    ],
    'trust in all addresses': [
      { QUARRY_TRUSTED_PROXIES: '0.0.0.0/0' },
      /^Error: QUARRY_TRUSTED_PROXIES: give addresses/,
    ],
    'an empty address': [{ QUARRY_HOST: '' }, /^Error: QUARRY_HOST: /],
    'an empty data directory': [{ QUARRY_DATA_DIR: '' }, /^Error: QUARRY_DATA_DIR: /],
    'a model without its provider': [
      { QUARRY_LLM: 'gpt-5-mini' },
      /^Error: QUARRY_LLM: 'gpt-5-mini' does not have the form provider\/model, with one of openai, /,
    ],
    'a provider that has no language models': [
      { QUARRY_LLM: 'voyage/x', VOYAGE_API_KEY: 'k' },
      /^Error: QUARRY_LLM: /,
    ],
    'a provider that has no embeddings': [
      { QUARRY_EMBEDDER: 'anthropic/x', ANTHROPIC_API_KEY: 'k' },
      /^Error: QUARRY_EMBEDDER: .* one of openai, mistral, cohere, voyage, ollama, openai-compat/,
    ],
    'a provider that has no rerankers': [
      { QUARRY_RERANKER: 'openai/x', OPENAI_API_KEY: 'k' },
      /^Error: QUARRY_RERANKER: .* one of cohere, voyage, openai-compatible/,
    ],
    'a model without the key of its provider': [
      { QUARRY_LLM: 'openai/gpt-5-mini,google/gemini-x', OPENAI_API_KEY: 'k' },
      /^Error: QUARRY_LLM: google\/gemini-x needs GEMINI_API_KEY: set it/,
    ],
    'a server of its own without its address': [
      { QUARRY_EMBEDDER: 'openai-compatible/bge' },
      /lacks the address of its server: write openai-compatible\/bge@http/,
    ],
    'an address with a password': [
      { QUARRY_LLM: 'openai-compatible/x@http://me:secret@gpu/v1' },
      /^Error: QUARRY_LLM: 'http:\/\/gpu\/v1' is not the address of a server/,
    ],
    'dimensions that are no number': [
      { QUARRY_EMBEDDER_DIMENSIONS: 'many' },
      /QUARRY_EMBEDDER_DIMENSIONS: give a number/,
    ],
    'more dimensions than an index takes': [
      { QUARRY_EMBEDDER_DIMENSIONS: '4001' },
      /QUARRY_EMBEDDER_DIMENSIONS: give at most 4000/,
    ],
    'dimensions of the builtin embedder': [
      { QUARRY_EMBEDDER_DIMENSIONS: '512' },
      /^Error: QUARRY_EMBEDDER_DIMENSIONS has no effect on the builtin embedder: leave it out/,
    ],
    'a log level that does not exist': [{ QUARRY_LOG_LEVEL: 'trace' }, /QUARRY_LOG_LEVEL/],
  };
  for (const [why, [env, message]] of Object.entries(wrong)) {
    it(`${why} stops the start with an error`, () => assert.throws(() => readConfig(env), message));
  }

  it('counts DATABASE_URL, which may have a password, as a secret setting', () =>
    assert.ok(SECRET_SETTINGS.has('DATABASE_URL')));

  it('gives transformers their limits in milliseconds and megabytes', () => {
    const limits = { QUARRY_TRANSFORMERS_SECONDS: '5', QUARRY_TRANSFORMERS_MEMORY_MB: '128' };
    const { timeoutMs, memoryMb } = transformerRuntimeOf(readConfig(limits));
    assert.deepEqual([timeoutMs, memoryMb], [5000, 128]);
  });

  it('[GEN-35] is a single-user install with embedded engines only, and where others cannot reach it', () => {
    const DATABASE_URL = 'postgres://u:p@localhost/d';
    assert.equal(readConfig({}).singleUser, true);
    for (const QUARRY_HOST of ['::1', 'localhost', '127.1.2.3'])
      assert.equal(readConfig({ QUARRY_HOST }).singleUser, true, QUARRY_HOST);
    assert.equal(readConfig({ QUARRY_HOST: '0.0.0.0' }).singleUser, false);
    for (const QUARRY_HOST of ['1127.0.0.1', '127.0.0.1.example.org'])
      assert.equal(readConfig({ QUARRY_HOST }).singleUser, false, QUARRY_HOST);
    assert.equal(readConfig({ DATABASE_URL }).singleUser, false);
    for (const url of ['http://localhost:8099', 'http://127.0.0.1:8099', 'http://[::1]:8099', ''])
      assert.equal(readConfig({ QUARRY_PUBLIC_URL: url }).singleUser, true, url);
    for (const url of [
      'https://quarry.example.com',
      'http://10.0.0.1:8099',
      'http://localhost.a.io',
    ])
      assert.equal(readConfig({ QUARRY_PUBLIC_URL: url }).singleUser, false, url);
    assert.equal(readConfig({ QUARRY_TRUSTED_PROXIES: '127.0.0.1' }).singleUser, false);
    const QUARRY_ENCRYPTION_KEY = 'k'.repeat(32);
    const worker = { DATABASE_URL, QUARRY_ROLES: 'worker' };
    assert.throws(() => readConfig(worker), /must share QUARRY_ENCRYPTION_KEY/);
    assert.deepEqual(readConfig({ ...worker, QUARRY_ENCRYPTION_KEY }).QUARRY_ROLES, ['worker']);
  });
});
