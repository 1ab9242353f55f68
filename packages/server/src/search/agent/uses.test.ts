import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadModel } from '../../engines/embedder/model-file.ts';
import { createWords } from '../../engines/embedder/words.ts';
import { chunkRow } from '../../test/search/chunk-row.ts';
import { toPassage } from '../passage.ts';
import { createPool } from './pool.ts';
import { understand } from './question.ts';
import type { Tools } from './tools.ts';
import { createUses } from './uses.ts';

const words = createWords(loadModel());

const row = (connection: string, position: number) =>
  chunkRow({
    n: position,
    position,
    text: `dogs of ${connection}`,
    entity_id: 'README.md',
    connection_id: connection,
  });

describe('uses of the tools', () => {
  it('[AGT-13] reads the chunks around a passage from the right one of two connections with the same record id', async () => {
    const read: string[] = [];
    const tools = {
      async neighbours({ row: { connection_id } }) {
        read.push(connection_id);
        return [row(connection_id, 1)];
      },
    } satisfies Partial<Tools>;
    const statistics = { chunks: 10, averageLength: 3, documentFrequencies: [1] };
    const means = {
      question: understand('dogs', statistics, words),
      tools: tools as Partial<Tools> as Tools,
      wanted: 20,
      tell: () => {},
    };
    const pool = createPool();
    const uses = createUses(means, pool);
    const around = (connection: string) => ({
      tool: 'neighbours' as const,
      passage: toPassage(row(connection, 0), 0.5),
    });
    assert.ok(await uses.act([around('a'), around('a'), around('b')], 9));
    assert.deepEqual(read, ['a', 'b']);
    assert.deepEqual(
      pool.best(9).map((passage) => passage.row.connection_id),
      ['a', 'b'],
    );
  });
});
