import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chunkRow } from '../test/search/chunk-row.ts';
import { maySee, toMatchable, toResult } from './read.ts';

describe('maySee', () => {
  const see = (principals: string[] | null, viewers: string[] | null, is_public = false) =>
    maySee(principals && new Set(principals), { viewers, is_public });

  it('[ENT-16] [ENT-17] [ENT-19] [ENT-20] decides by viewers, principals and is_public who may see a record', () => {
    assert.equal(see(null, []), true);
    assert.equal(see([], null), true);
    assert.equal(see([], [], true), true);
    assert.equal(see(['user:a'], []), false);
    assert.equal(see(['user:a', 'group:b'], ['group:b', 'user:c']), true);
    assert.equal(see(['user:a'], ['user:A', 'user:ab']), false);
  });
});

describe('toMatchable', () => {
  it('[FIL-04] is_public is null for a record without access data', () => {
    const isPublic = (viewers: string[] | null, is_public: boolean) =>
      (toMatchable(chunkRow({ viewers, is_public })).access as { is_public: unknown }).is_public;
    assert.equal(isPublic(null, false), null);
    assert.equal(isPublic(null, true), true);
    assert.equal(isPublic(['user:a'], false), false);
  });
});

describe('toResult', () => {
  const shown = (metadata: Record<string, unknown>) =>
    toResult(chunkRow({ name: 'Ours', page: null, heading: null, metadata }), 1).metadata;

  it('[ENT-26] a field of the source with the name of a system field is shown as source.<name>, even when the system field is null', () => {
    assert.deepEqual(
      shown({ page: 12, heading: 'Mine', name: 'Theirs', entity_type: 'Sheet', colour: 'red' }),
      {
        'source.page': 12,
        'source.heading': 'Mine',
        'source.name': 'Theirs',
        'source.entity_type': 'Sheet',
        colour: 'red',
        name: 'Ours',
        entity_type: 'Note',
        source_connection_id: 'c',
        created_at: null,
        updated_at: null,
        heading: null,
        page: null,
        place: null,
        line: null,
      },
    );
  });

  it('[ENT-26] a field that is itself named source.<name> stays distinct, and hides no other field', () => {
    const {
      'source.page': first,
      'source.source.page': second,
      ...rest
    } = shown({
      page: 1,
      'source.page': 2,
      'source.source.page': 3,
      'source.colour': 4,
      toString: 5,
      'source.toString': 6,
    });
    assert.deepEqual([first, second], [1, 2]);
    assert.equal(rest['source.source.source.page'], 3);
    assert.equal(rest['source.colour'], 4);
    assert.equal(rest.toString, 5);
    assert.equal(rest['source.toString'], 6);
    assert.deepEqual(shown({ 'source.page': 2 })['source.source.page'], 2);
  });
});
