import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ASSISTANTS, keyOfAssistant, setUpOf } from './assistants.ts';

const wanted = { collection: 'my-notes', key: 'quarry_k' } as const;

describe('the way to set an assistant up', () => {
  it('is one command on the machine of Quarry', () => {
    const at = (origin: string) => setUpOf({ ...wanted, assistant: 'cursor', origin }).text;
    const command =
      'QUARRY_API_KEY=quarry_k npm run --silent quarry -- mcp install cursor --collection my-notes';
    for (const host of ['localhost', '127.0.0.1', '[::1]'])
      assert.equal(at(`http://${host}:8099`), command);
    assert.equal(at('http://localhost:8202'), `${command} --base-url http://localhost:8202`);
  });

  it('is an address with two headers elsewhere', () => {
    const origin = 'https://quarry.example.com';
    const texts = ASSISTANTS.map(({ id }) => setUpOf({ ...wanted, assistant: id, origin }).text);
    assert.match(texts[0] ?? '', /^claude mcp add --transport http quarry https:\S+\/mcp \\\n/);
    for (const [i, text] of texts.entries()) {
      assert.ok(text.includes(`${origin}/mcp`), text);
      if (ASSISTANTS[i]?.id === 'claude') continue;
      assert.match(text, /X-API-Key/);
      assert.match(text, /X-Collection-Readable-ID/);
      assert.match(text, /quarry_k/);
    }
    const [, , cursor = '', vscode = ''] = texts;
    assert.deepEqual(Object.keys(JSON.parse(cursor)), ['mcpServers']);
    assert.equal(JSON.parse(vscode).servers.quarry.type, 'http');
  });

  it('has a placeholder while there is no key', () => {
    const { text } = setUpOf({
      ...{ ...wanted, key: null },
      assistant: 'claude-code',
      origin: 'http://localhost:8099',
    });
    assert.match(text, /QUARRY_API_KEY=<key> /);
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
    assert.equal(keyOfAssistant(keys, { ...cursor, name: 'VS Code' }), undefined);
  });
});
