import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createBuiltinEmbedder } from '../../engines/embedder/builtin.ts';
import { terms } from '../../model/terms.ts';
import { must } from '../../util.ts';
import { makeChunks } from './chunks.ts';

const deps = {
  embedder: createBuiltinEmbedder(),
  knownVectors: async () => new Map(),
  signal: new AbortController().signal,
};

const sentence = (i: number) =>
  `Sentence ${i} is about tides, anchors, sails and the weather at sea.`;
const text = Array.from({ length: 120 }, (_, i) => sentence(i)).join(' ');

async function chunksWith(name: string) {
  const entity = { id: 'e', type: 'Note', name, text, fields: {} };
  return must((await makeChunks([{ row: 'r', entity }], deps)).get('r'));
}

describe('the chunks of an entity', () => {
  it('[SRH-10] all have the name of the entity among their terms', async () => {
    const chunks = await chunksWith('Harbour office');
    assert.ok(chunks.length > 2);
    for (const chunk of chunks) {
      assert.equal(chunk.isTitled, true);
      assert.deepEqual(chunk.terms, [...terms('Harbour office'), ...terms(chunk.text)]);
    }
  });

  it('[SRH-10] do not have a name that is cut from the text, not even in later chunks', async () => {
    const chunks = await chunksWith(text.slice(0, 60));
    assert.ok(chunks.length > 2);
    for (const chunk of chunks) {
      assert.equal(chunk.isTitled, false);
      assert.deepEqual(chunk.terms, terms(chunk.text));
    }
  });
});
