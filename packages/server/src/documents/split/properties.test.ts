/** These properties must hold for every text: nothing is lost, no piece is too long, and the time is linear. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { takesAtMost } from '../../test/processor-time.ts';
import { split } from '../split.ts';

const MAX_CHARACTERS = 2_001; // The line feed behind a repeated header counts, too.
const MAX_WORDS = 300;

const solid = (text: string): string => text.replaceAll(/\s+/g, '');

/**
 * Returns true when the pieces in order equal the text. A piece that does not begin where the previous piece ended must
 * begin with earlier lines of the text, which are a repeated header.
 */
function complete(text: string, pieces: readonly string[]): boolean {
  const whole = solid(text);
  const from = (at: number, piece: number): boolean => {
    if (piece === pieces.length) return at === whole.length;
    const lines = pieces[piece]!.split('\n');
    for (let skipped = 0; skipped < lines.length; skipped++) {
      const rest = solid(lines.slice(skipped).join('\n'));
      const header = solid(lines.slice(0, skipped).join('\n'));
      const repeated = whole.slice(0, at).includes(header);
      if (repeated && whole.startsWith(rest, at) && from(at + rest.length, piece + 1)) return true;
    }
    return false;
  };
  return from(0, 0);
}

let unique = 0;
const fragment = fc.oneof(
  fc.constantFrom(
    '# A heading',
    '### Deep\n',
    'Title\n=====\n',
    'Other\n---\n',
    '```js\n',
    '```\n',
    '~~~~\n',
    '> quote\n',
    '- item\n',
    '  12. nested\n',
    '| a | b |\n|---|---|\n',
    '| 1 | 2 |\n',
    '---\n',
    '\n',
    '\n\n',
    '\r\n',
    ' ',
    '\t',
    '    indented\n',
    'a,"b',
    '",c\n',
    '{"k": [1, ',
    '"]}, ',
    '}\n',
    'end\n',
    'e.g. this. And ',
    'Why: ',
    '漢字かな。',
    '😀',
    '\ud800',
    '\u00a0',
    '\u3000',
    '&nbsp;',
    '<br>',
    '\\',
  ),
  fc.lorem({ maxCount: 60 }),
  fc.lorem({ maxCount: 12, mode: 'sentences' }),
  fc.string({ maxLength: 30 }),
  fc.nat({ max: 900 }).map((length) => 'x'.repeat(length)),
  fc.nat({ max: 900 }).map((length) => ' '.repeat(length)),
  fc.nat({ max: 30 }).map((count) => '| cell | other |\n'.repeat(count)),
  fc.constant(null).map(() => `mark${unique++} `),
);
const document = fc.record({
  name: fc.constantFrom('a.md', 'a.ts', 'a.csv', 'a.json'),
  text: fc.array(fragment, { maxLength: 120, size: 'max' }).map((parts) => parts.join('')),
});

describe('for every text', () => {
  it('the pieces contain the whole text in order', () => {
    fc.assert(
      fc.property(document, ({ name, text }) => {
        const pieces = split({ name, text }).map((piece) => piece.text);
        assert.ok(complete(text, pieces));
      }),
      { numRuns: 300 },
    );
  });

  it('no piece is blank or too long', () => {
    fc.assert(
      fc.property(document, ({ name, text }) => {
        const pieces = split({ name, text });
        for (const piece of pieces) {
          assert.ok(piece.text.length <= MAX_CHARACTERS, `${piece.text.length} characters`);
          assert.ok(piece.text.split(/\s+/).length <= MAX_WORDS + 1);
          assert.ok(solid(piece.text) !== '' || pieces.length === 1);
          assert.equal(piece.text, piece.text.trimEnd());
          if (text.isWellFormed()) assert.ok(piece.text.isWellFormed());
          if (piece.heading !== null) assert.ok(piece.heading.length <= 200);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('the time is linear in the length', () => {
    const units = [
      'a',
      ' ',
      '\n',
      'a ',
      'a. ',
      'a\n',
      'a\n\n',
      '漢',
      '😀',
      '# a\n',
      'a\n===\n',
      '>',
      '> ',
      '```\na\n',
      '`',
      '|',
      '|a|b|\n|-|-|\n',
      '- a\n',
      '-',
      '#',
      '[',
      '# [a](b\n',
      'a:\n\n',
      '{',
      '"',
      '",',
      '\u00a0',
      '---\na: b\n',
    ];
    for (const unit of units)
      for (const name of ['a.md', 'a.ts', 'a.csv', 'a.json']) {
        const text = unit.repeat(200_000 / unit.length);
        takesAtMost(1_500, () => split({ name, text }), `${name} of ${JSON.stringify(unit)}`);
      }
  });
});
