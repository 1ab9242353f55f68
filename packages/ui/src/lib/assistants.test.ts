import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ASSISTANTS, setUpOf } from './assistants.ts';

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
