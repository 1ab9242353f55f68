import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { liveLine } from './live-line.ts';

describe('the progress line', () => {
  const written = (terminal: { isTTY?: boolean; columns?: number }) => {
    const parts: string[] = [];
    return { parts, line: liveLine({ ...terminal, write: (text) => parts.push(text) }) };
  };

  it('[JOB-40] stays in place on a terminal, and within its width', () => {
    const { parts, line } = written({ isTTY: true, columns: 10 });
    line.show('123456789');
    line.show('1234567890');
    line.show('a\u001b[2Jb\r\nc');
    line.clear();
    assert.deepEqual(parts, [
      '\r\u001b[2K123456789',
      '\r\u001b[2K12345678…',
      '\r\u001b[2Ka [2Jb c',
      '\r\u001b[2K',
    ]);
  });

  it('[JOB-40] assumes 80 columns on a terminal of unknown width', () => {
    const { parts, line } = written({ isTTY: true, columns: 0 });
    line.show('x'.repeat(100));
    assert.deepEqual(parts, [`\r\u001b[2K${'x'.repeat(78)}…`]);
  });

  it('[JOB-40] is printed as a new line every five seconds without a terminal', (t) => {
    const { parts, line } = written({});
    let now = 1000;
    t.mock.method(performance, 'now', () => now);
    for (const [at, text] of [
      [1000, 'first'],
      [5999, 'too soon'],
      [6000, 'second'],
      [10_999, 'too soon'],
      [99_000, 'third'],
    ] as const) {
      now = at;
      line.show(text);
    }
    line.clear();
    assert.deepEqual(parts, ['first\n', 'second\n', 'third\n']);
  });
});
