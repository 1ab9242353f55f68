import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inflateRawSync } from 'node:zlib';
import type { Entity } from '../../model/entity.ts';
import { PushedEntity } from '../../model/pushed.ts';
import { toPushed } from '../../transformers/push-form.ts';
import { clean, compress, decompress, entityHash } from './record.ts';

const entity: Entity = {
  id: 'a',
  type: 'Page',
  name: 'A',
  text: 'body',
  url: 'https://example.org/a',
  breadcrumbs: [{ id: 'r', name: 'Root', type: 'folder' }],
  createdAt: new Date(1),
  updatedAt: new Date(2),
  access: { viewers: ['user:a@b.c'], isPublic: false },
  fields: { size: 1, tags: ['x'] },
};

describe('entityHash', () => {
  it('[ENT-02] has the form sha256:<hex>', () =>
    assert.match(entityHash(entity), /^sha256:[0-9a-f]{64}$/));

  const changes: Record<string, Partial<Entity>> = {
    type: { type: 'Post' },
    name: { name: 'B' },
    text: { text: 'other' },
    pages: { pages: [0, 2] },
    url: { url: 'https://example.org/b' },
    breadcrumbs: { breadcrumbs: [] },
    viewers: { access: { viewers: ['user:x@b.c'], isPublic: false } },
    'is public': { access: { viewers: ['user:a@b.c'], isPublic: true } },
    fields: { fields: { size: 2, tags: ['x'] } },
  };
  for (const [what, change] of Object.entries(changes)) {
    it(`[ENT-11] changes with the ${what}`, () =>
      assert.notEqual(entityHash({ ...entity, ...change }), entityHash(entity)));
  }

  it('[ENT-11] [JOB-42] stays the same when only times or the order of fields change', () => {
    const same = {
      ...entity,
      createdAt: new Date(8),
      updatedAt: new Date(9),
      fields: { tags: ['x'], size: 1 },
    };
    assert.equal(entityHash(same), entityHash(entity));
  });
});

describe('clean', () => {
  it('[PSH-03] keeps times within the range that a push accepts, and removes others', () => {
    const times = ['0000-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'];
    for (const time of times) {
      const kept = clean({ ...entity, createdAt: new Date(time), updatedAt: undefined });
      assert.ok(PushedEntity.safeParse(toPushed(kept)).success);
      assert.equal(kept.createdAt?.toISOString(), time);
    }
    for (const time of ['-000001-12-31', '+010000-01-01', 'x']) {
      const { createdAt, updatedAt } = clean({
        ...entity,
        createdAt: new Date(time),
        updatedAt: new Date(time),
      });
      assert.deepEqual([createdAt, updatedAt], [undefined, undefined]);
    }
  });

  it('removes characters that no database stores, at every depth', () => {
    const dirty = {
      ...entity,
      name: 'A\0B',
      text: 'half \ud800 pair',
      breadcrumbs: [{ id: 'r\0', name: '\0Root', type: 'folder' }],
      fields: { 'k\0': ['\0x', { y: 'z\0' }], at: new Date(0), none: null },
    };
    const { name, text, breadcrumbs, fields } = clean(dirty);
    assert.deepEqual(
      { name, text, breadcrumbs, fields },
      {
        name: 'AB',
        text: 'half \ufffd pair',
        breadcrumbs: [{ id: 'r', name: 'Root', type: 'folder' }],
        fields: { k: ['x', { y: 'z' }], at: '1970-01-01T00:00:00.000Z', none: null },
      },
    );
  });

  it('removes an invalid date', () => {
    const { createdAt, updatedAt } = clean({ ...entity, createdAt: new Date('no date') });
    assert.deepEqual([createdAt, updatedAt?.getTime()], [undefined, 2]);
  });
});

describe('compress', () => {
  it('keeps the whole entity', () => {
    const raw = JSON.parse(inflateRawSync(compress(entity)).toString('utf8'));
    assert.deepEqual(raw, JSON.parse(JSON.stringify(entity)));
  });
});

describe('decompress', () => {
  it('returns the compressed entity, with its times', () => {
    assert.deepEqual(decompress(compress(entity)), entity);
    const { createdAt: _, updatedAt: __, ...timeless } = entity;
    assert.deepEqual(decompress(compress(timeless)), timeless);
  });

  it('throws when bytes are damaged', () => {
    assert.throws(() => decompress(new Uint8Array([1, 2, 3])));
    assert.throws(() => decompress(compress(entity).subarray(0, -9)));
  });
});
