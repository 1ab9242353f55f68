import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import type { SourcesFile } from '../sources-file.ts';
import { must } from '../util.ts';
import { defineSource } from './define.ts';
import { describeSource } from './describe.ts';
import { applySourcesFile } from './operator.ts';

const base = {
  name: 'Test',
  description: 'A test.',
  labels: [],
  config: z.object({}),
  entities: {},
  evidence: [],
  rateLimitLevel: null,
};
const oauth = {
  authorizeUrl: 'https://example.org/authorize',
  tokenUrl: 'https://example.org/token',
  scopes: [],
  refresh: 'rotating',
} as const;
const sources = new Map(
  [
    defineSource({
      ...base,
      shortName: 'cloud',
      auth: { oauth },
      api: { baseUrl: 'https://api.example.org' },
    }),
    defineSource({ ...base, shortName: 'folder', auth: {} }),
  ].map((source) => [source.shortName, source]),
);
const apply = (file: Record<string, object>) =>
  applySourcesFile(sources, file as unknown as SourcesFile);

describe("the operator's settings of sources", () => {
  it('[AUTH-30] [SRC-04] make a client of the user unnecessary when they contain a client', () => {
    const before = describeSource(must(apply({}).get('cloud')));
    assert.deepEqual([before.requires_byoc, before.oauth_type], [true, 'with_refresh']);
    const cloud = must(apply({ cloud: { client_id: 'id', token_url: 'https://a' } }).get('cloud'));
    assert.equal(describeSource(cloud).requires_byoc, false);
    assert.deepEqual(cloud.operator, {
      client: { id: 'id', secret: null },
      authorizeUrl: undefined,
      tokenUrl: 'https://a',
      baseUrl: undefined,
    });
    const never = {
      ...must(sources.get('cloud')),
      auth: { oauth: { ...oauth, refresh: 'never' } },
    };
    assert.equal(describeSource(never as never).oauth_type, 'access_only');
  });

  it('[AUTH-30] can switch off a source', () => {
    assert.deepEqual([...apply({ cloud: { enabled: false } }).keys()], ['folder']);
  });

  it('[AUTH-30] stop the start when no source can use them', () => {
    assert.throws(() => apply({ clod: {} }), /names 'clod', .* the sources are cloud, folder$/);
    assert.throws(() => apply({ folder: { client_id: 'x' } }), /folder\.client_id has no effect/);
    assert.throws(() => apply({ folder: { token_url: 'x' } }), /folder\.token_url has no effect/);
    assert.throws(() => apply({ folder: { base_url: 'x' } }), /folder\.base_url has no effect/);
  });
});
