import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { piecesOf } from './citations.ts';

describe('the citations of an answer', () => {
  it('are the numbers of the results that a sentence cites', () => {
    assert.deepEqual(
      piecesOf('Kept for 30 days. [b__chunk_1] And more [a, b__chunk_1].', ['a', 'b__chunk_1']),
      [
        { text: 'Kept for 30 days.' },
        { cites: 2 },
        { text: ' And more' },
        { cites: 1 },
        { cites: 2 },
        { text: '.' },
      ],
    );
  });

  it('are ids as they are, also with brackets and commas', () => {
    const ids = ['notes[1].md__chunk_0', 'a', 'a, b.md__chunk_0', '[draft] plan.md__chunk_0'];
    for (const [number, id] of ids.entries())
      assert.deepEqual(piecesOf(`It is so. [${id}]`, ids), [
        { text: 'It is so.' },
        { cites: number + 1 },
      ]);
    assert.deepEqual(piecesOf(`[x [${ids.toReversed().join(',  ')}]`, ids), [
      { text: '[x' },
      ...[4, 3, 2, 1].map((cites) => ({ cites })),
    ]);
  });

  it('are no brackets around anything else', () => {
    assert.deepEqual(piecesOf('See [RFC 7636] and [gone].', ['a']), [
      { text: 'See [RFC 7636] and [gone].' },
    ]);
  });

  it('shows no marks of Markdown, also where one of two is missing, and no bars of a table', () => {
    assert.deepEqual(piecesOf('**It is `gone`. [a]', ['a']), [
      { text: 'It is gone.' },
      { cites: 1 },
    ]);
    assert.deepEqual(piecesOf('held | it waits | [a]', ['a']), [
      { text: 'held · it waits' },
      { cites: 1 },
    ]);
  });
});
