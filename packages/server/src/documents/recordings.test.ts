import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { transcriptToMarkdown } from './recordings.ts';

const passages = (...starts: number[]) => starts.map((start, i) => ({ start, text: `w${i}` }));

describe('the transcript of a recording', () => {
  it('becomes paragraphs of up to a minute, with their times', () =>
    assert.deepEqual(transcriptToMarkdown({ passages: passages(0, 25, 50, 75), language: 'de' }), {
      text: 'w0 w1 w2\n\nw3',
      pages: [0, 10],
      places: ['time 00:00:00', 'time 00:01:15'],
      about: { language: 'de' },
    }));

  it('ends a paragraph with a sentence, and leaves out what has no words', () => {
    const said = [
      { start: 0, text: '  The heron\n waits.' },
      { start: 30, text: ' ' },
      { start: 31, text: 'It flies' },
      { start: 62, text: 'away.' },
    ];
    const { text, places } = transcriptToMarkdown({ passages: said });
    assert.equal(text, 'The heron waits.\n\nIt flies away.');
    assert.deepEqual(places, ['time 00:00:00', 'time 00:00:31']);
  });

  it('says nothing of times and languages where it has one paragraph and no language', () =>
    assert.deepEqual(transcriptToMarkdown({ passages: passages(3, 5) }), { text: 'w0 w1' }));

  it('begins a paragraph where the times go back', () =>
    assert.deepEqual(transcriptToMarkdown({ passages: passages(0, 10, 20, 0, 10, 20, 5) }), {
      text: 'w0 w1 w2\n\nw3 w4 w5\n\nw6',
      pages: [0, 10, 20],
      places: ['time 00:00:00', 'time 00:00:00', 'time 00:00:05'],
    }));
});
