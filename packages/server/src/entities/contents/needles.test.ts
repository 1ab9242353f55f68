import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { hasNeedle, needlesOf } from './needles.ts';

describe('the needles of an expression', () => {
  for (const [pattern, expected] of [
    ['timeout', ['timeout']],
    ['timeout|timed out', ['timeout', 'timed out']],
    ['\\d+ms', ['ms']],
    ['a\\.b', ['a.b']],
    ['colou?r', ['colo']],
    ['ab*c', ['a']],
    ['ab+c', ['ab']],
    ['ab{0,3}cd', ['cd']],
    ['ab{2}', ['ab']],
    ['x(abc|d)yz', ['yz']],
    ['(?:abc)?de', ['de']],
    ['(?<name>abc)de', ['de']],
    ['[abc]def', ['def']],
    ['[]x]def', ['def']],
    ['^ERROR: .*refused$', ['ERROR: ']],
    ['\\bword\\b', ['word']],
    ['größe', ['größe']],
    ['a|', []],
    ['\\d+', []],
    ['(?i)abc', []],
    ['a(?i)bc', []],
    ['\\Qa.b\\E', []],
    ['\\x41bc', []],
    ['\\pLabc', []],
    ['', []],
    [Array.from({ length: 21 }, (_, i) => `word${i}`).join('|'), []],
  ] as const)
    it(`of ${pattern.slice(0, 30)} are ${JSON.stringify(expected)}`, () => {
      assert.deepEqual(needlesOf(pattern, false).texts, expected);
    });

  it('without regard to case leave out characters that others match, too', () => {
    assert.deepEqual(needlesOf('TimeOut', true), { texts: ['timeout'], ignoresCase: true });
    assert.deepEqual(needlesOf('Kiosk', true).texts, ['io']);
    assert.deepEqual(needlesOf('ks', true).texts, []);
    assert.deepEqual(needlesOf('größe', true).texts, ['gr']);
    assert.deepEqual(needlesOf('İxy', true).texts, ['xy']);
  });

  it('are in every line that the expression matches', () => {
    const piece = fc.constantFrom(
      ...[
        'a',
        'b',
        'K',
        's',
        'ä',
        ' ',
        '.',
        '\\.',
        '\\d',
        '\\w',
        '\\b',
        '^',
        '$',
        '1',
        '{',
        '}',
        ']',
        '-',
      ],
      ...[
        '[ab]',
        '[^a]',
        '[]b]',
        '[[:alpha:]]',
        '*',
        '+',
        '?',
        '*?',
        '{0}',
        '{1,2}',
        '{2}',
        '{0,2}',
      ],
      ...[
        '(',
        ')',
        '(?:',
        '(?<n>',
        '(?i)',
        '(?i:',
        '|',
        '\\Qa|',
        '\\E',
        '\\x61',
        '\\n',
        '\\\\',
        '\\pL',
      ],
    );
    const patterns = fc.array(piece, { minLength: 1, maxLength: 8 }).map((all) => all.join(''));
    const lines = fc
      .array(fc.constantFrom(...'abKkKsSſäÄ .1{}]-\\|n'), { maxLength: 8 })
      .map((all) => all.join(''));
    let matches = 0;
    fc.assert(
      fc.property(
        patterns,
        fc.array(lines, { maxLength: 20 }),
        fc.boolean(),
        (pattern, all, ignoresCase) => {
          let expression: RE2JS;
          try {
            expression = RE2JS.compile(pattern, ignoresCase ? RE2JS.CASE_INSENSITIVE : 0);
          } catch {
            return;
          }
          const needles = needlesOf(pattern, ignoresCase);
          for (const line of all) {
            if (needles.texts.length === 0 || !expression.matcher(line).find()) continue;
            matches++;
            assert.ok(
              hasNeedle(needles)(line),
              `${pattern} matches ${line}, needles ${needles.texts}`,
            );
          }
        },
      ),
      { numRuns: 20_000, seed: 7 },
    );
    assert.ok(matches > 500, `${matches}`);
  });
});
