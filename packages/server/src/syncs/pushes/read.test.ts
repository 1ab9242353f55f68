import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AppError } from '../../errors.ts';
import { digestOf, sha256 } from '../../model/hash.ts';
import { readPush } from './read.ts';

const entity = (entity_id: string) => ({ entity_id, name: 'n', text: '' });
const many = (count: number) => Array.from({ length: count }, (_, i) => entity(`e${i}`));
const sent = (body: unknown) => ({ json: Buffer.from(JSON.stringify(body)), file: null });
const file = { name: 'a.txt', content: Buffer.from('a heron') };

function refusalOf(act: () => unknown): AppError {
  try {
    act();
  } catch (error) {
    return error as AppError;
  }
  throw new Error('it was not refused');
}
const placesOf = (act: () => unknown) => refusalOf(act).faults.map(({ loc }) => loc);

describe('reading a push', () => {
  it('[PSH-07] counts entities and deletes together', () => {
    readPush(sent({ entities: many(999), delete: ['x'] }));
    const { status, message } = refusalOf(() =>
      readPush(sent({ entities: many(1000), delete: ['x'] })),
    );
    assert.equal(status, 413);
    assert.match(message, /^1001 entities are more than the 1000/);
  });

  it('[PSH-12] names the first id that is in both lists', () => {
    assert.deepEqual(
      placesOf(() => readPush(sent({ entities: many(3), delete: ['x', 'e2', 'e1'] }))),
      [['body', 'delete', 1]],
    );
  });

  it('[PSH-02] refuses what is not JSON, not UTF-8, missing, or has unknown fields', () => {
    const of = (json: Uint8Array | undefined) => placesOf(() => readPush({ json, file: null }));
    assert.deepEqual(of(Buffer.from('{"entities":')), [['body']]);
    assert.deepEqual(of(Buffer.from([0x22, 0xff, 0x22])), [['body']]);
    assert.deepEqual(of(undefined), [['body']]);
    assert.deepEqual(of(Buffer.from('{"entitees":[]}')), [['body', 'entitees']]);
  });

  it('[PSH-15] keys of pushes of the version before keep their digests', () => {
    const body = { entities: [entity('a')], delete: ['b'] };
    assert.equal(readPush(sent({ delete: ['b'], entities: [entity('a')] })).digest, digestOf(body));
    const pushed = {
      entities: [entity(file.name)].map((one) => ({ ...one, name: 'n' })),
      delete: [],
    };
    const json = Buffer.from('{"name":"n"}');
    assert.equal(
      readPush({ json, file }).digest,
      digestOf([pushed, file.name, sha256(file.content)]),
    );
  });

  it('names the faults of the part of a form', () => {
    const of = (text: string) => placesOf(() => readPush({ json: Buffer.from(text), file }));
    assert.deepEqual(of('{"text":"a"}'), [['body', 'entity', 'text']]);
    assert.deepEqual(of('[]'), [['body', 'entity']]);
    assert.deepEqual(of('{"__proto__":{}}'), [['body', 'entity']]);
    assert.deepEqual(JSON.parse(readPush({ json: undefined, file }).json).entities, [
      { entity_id: 'a.txt', name: 'a.txt', text: '' },
    ]);
  });
});
