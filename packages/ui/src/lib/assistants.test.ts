import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ASSISTANTS, keyOfAssistant, setUpOf } from './assistants.ts';

const wanted = { collection: null, key: 'quarry_k', commandLine: 'quarry' } as const;

describe('the way to set an assistant up', () => {
  it('is one command on the machine of Quarry, which makes a key by itself', () => {
    const cursor = { ...wanted, assistant: 'cursor' } as const;
    for (const host of ['localhost', '127.0.0.1', '[::1]']) {
      const { text, help } = setUpOf({ ...cursor, origin: `http://${host}:8202` });
      assert.equal(text, 'quarry mcp install cursor');
      assert.match(help, /in a terminal/);
    }
    const origin = 'http://localhost:8099';
    const clone = { ...cursor, origin, commandLine: 'npm run --silent quarry --' };
    const { text, help } = setUpOf({ ...clone, collection: 'my-notes' });
    assert.equal(text, 'npm run --silent quarry -- mcp install cursor --collection my-notes');
    assert.match(help, /in the folder of Quarry/);
    assert.match(setUpOf({ ...cursor, origin, commandLine: null }).text, /X-API-Key/);
  });

  it('is an address with the key elsewhere, and with the collection where there is only one', () => {
    const origin = 'https://quarry.example.com';
    const textsFor = (collection: string | null) =>
      ASSISTANTS.map(({ id }) => setUpOf({ ...wanted, collection, assistant: id, origin }).text);
    const texts = textsFor(null);
    assert.match(texts[0] ?? '', /^claude mcp add --transport http quarry https:\S+\/mcp \\\n/);
    for (const [i, text] of texts.entries()) {
      assert.ok(text.includes(`${origin}/mcp`), text);
      assert.doesNotMatch(text, /X-Collection-Readable-ID/);
      if (ASSISTANTS[i]?.id === 'claude') continue;
      assert.match(text, /X-API-Key/);
      assert.match(text, /quarry_k/);
      assert.match(textsFor('my-notes')[i] ?? '', /X-Collection-Readable-ID\W+my-notes/);
    }
    const [, , cursor = '', vscode = ''] = texts;
    assert.deepEqual(Object.keys(JSON.parse(cursor)), ['mcpServers']);
    assert.equal(JSON.parse(vscode).servers.quarry.type, 'http');
  });

  it('has a placeholder while there is no key', () => {
    const { text } = setUpOf({
      ...{ ...wanted, key: null },
      assistant: 'claude-code',
      origin: 'https://quarry.example.com',
    });
    assert.match(text, /X-API-Key: <key>/);
  });
});

describe('the key of an assistant', () => {
  const key = (id: string, last_used_at: string | null, more: object = {}) => ({
    ...{ id, last_used_at, name: 'Cursor', collections: ['my-notes'], created_at: '2026-01-01' },
    ...more,
  });
  const cursor = { name: 'Cursor', collection: 'my-notes', madeId: null };

  it('is the one that was used last, or the one that was made just now', () => {
    const keys = [
      key('old', '2026-02-01'),
      key('new', null, { created_at: '2026-03-01' }),
      key('newest', '2026-02-02'),
      key('of another', '2026-04-01', { name: 'Codex' }),
      key('elsewhere', '2026-04-01', { collections: ['shop'] }),
      key('everywhere', '2026-04-01', { collections: null }),
    ];
    assert.equal(keyOfAssistant(keys, cursor)?.id, 'newest');
    assert.equal(keyOfAssistant(keys, { ...cursor, madeId: 'new' })?.id, 'new');
    assert.equal(keyOfAssistant(keys, { ...cursor, collection: null })?.id, 'everywhere');
    assert.equal(keyOfAssistant(keys, { ...cursor, name: 'VS Code' }), undefined);
  });
});
