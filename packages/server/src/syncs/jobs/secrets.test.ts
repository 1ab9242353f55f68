import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Entity } from '../../model/entity.ts';
import { holdsSecret } from './secrets.ts';

const KEY = `ghp_${'a1B2'.repeat(9)}`;
const record = (over: Partial<Entity>): Entity => ({
  id: 'a',
  type: 'Page',
  name: 'A',
  text: 'text',
  fields: {},
  ...over,
});

describe('holdsSecret', () => {
  it('[CON-41] finds a key in the name, in the text, and in fields at any depth', () => {
    assert.ok(!holdsSecret(record({ fields: { note: 'no key' } })));
    for (const over of [
      { name: KEY },
      { text: `the key: ${KEY}` },
      { fields: { note: KEY } },
      { fields: { notes: [{ deep: `is ${KEY}` }] } },
    ])
      assert.ok(holdsSecret(record(over)), JSON.stringify(over));
  });

  it('[CON-41] finds a key in a field after any character that ends a word', () => {
    for (const sign of ['\n', '\t', '\r', '\b', '\f', '\u0001', '"', '\\', '\ud800'])
      assert.ok(holdsSecret(record({ fields: { note: `key:${sign}${KEY}` } })), `${sign}`);
    const pem = `-----BEGIN PRIVATE KEY-----\n${'MIIE'.repeat(20)}\n-----END PRIVATE KEY-----`;
    assert.ok(holdsSecret(record({ fields: { pem } })));
    assert.ok(
      !holdsSecret(record({ fields: { note: `n${KEY}` } })),
      'a key within a word does not count',
    );
  });
});
