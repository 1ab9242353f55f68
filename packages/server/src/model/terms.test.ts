import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { takesAtMost } from '../test/processor-time.ts';
import { stems, TERMS_VERSION, termNumbers, terms, words } from './terms.ts';
import { indexTerms } from './title.ts';
import { isStopWord, stem } from './word-table.ts';

/** Each case has a title, a text, and the words of the text. */
const CUTS: readonly (readonly [string, string, readonly string[]])[] = [
  ['nothing', '', []],
  ['marks only', ' .,-_/§ ', []],
  ['lower case', 'Read ME', ['read', 'me']],
  ['marks separate', "a_b.c/d-e:f'g", ['a', 'b', 'c', 'd', 'e', 'f', 'g']],
  ['the last word', 'one two', ['one', 'two']],
  ['camelCase', 'getUserName', ['get', 'user', 'name']],
  ['the last capital of an abbreviation', 'parseHTTPServer', ['parse', 'http', 'server']],
  ['an abbreviation at the end', 'parseHTTP', ['parse', 'http']],
  ['a capital behind a digit', 'sha256Sum v2A', ['sha256', 'sum', 'v2', 'a']],
  ['a digit behind letters', 'http2 x86', ['http2', 'x86']],
  ['a capital before a digit', 'AB1', ['ab1']],
  ['accents', 'Café naïve Ångström', ['cafe', 'naive', 'angstrom']],
  ['accents written as marks', 'Cafe\u0301', ['cafe']],
  ['compatibility forms', 'ﬁle ＡＢ １２ x²', ['file', 'ab', '12', 'x2']],
  ['camelCase in other text', 'é getName', ['e', 'get', 'name']],
  ['an abbreviation in other text', 'é HTTPServer', ['e', 'http', 'server']],
  ['Greek and Cyrillic', 'ΛΟΓΟΣ Москва', ['λογος', 'москва']],
  ['Chinese in pairs', '北京大学', ['北京', '京大', '大学']],
  ['a single character', '猫 と', ['猫', 'と']],
  ['pairs of characters beyond 16 bits', '𠀀𠀁𠀂', ['𠀀𠀁', '𠀁𠀂']],
  ['a change of script', '東京Tower3号', ['東京', 'tower3', '号']],
  ['Thai in pairs', 'กขค', ['กข', 'ขค']],
  ['Korean by its spaces', '한국 사람', ['한국', '사람'].map((word) => word.normalize('NFKD'))],
  ['halves of surrogate pairs', 'a\ud800b\udc00c', ['a', 'b', 'c']],
  ['emoji', 'go 🚀 now', ['go', 'now']],
];

describe('words of a text', () => {
  for (const [what, text, expected] of CUTS)
    it(`cuts ${what}`, () => {
      assert.deepEqual(words(text), expected);
    });

  it('keep at most 64 characters', () => {
    assert.deepEqual(words('a'.repeat(64)), ['a'.repeat(64)]);
    assert.deepEqual(words('b'.repeat(65)), ['b'.repeat(64)]);
    assert.deepEqual(words(`é${'b'.repeat(64)}`), [`e${'b'.repeat(63)}`]);
  });

  it('are not cut within a surrogate pair', () => {
    const wide = '𐐨'; // This is a letter.
    assert.deepEqual(words('a'.repeat(62) + wide), ['a'.repeat(62) + wide]);
    assert.deepEqual(words('a'.repeat(63) + wide), ['a'.repeat(63)]);
  });

  it('are found in linear time in every text', () => {
    for (const unit of [
      'a',
      'aA',
      'A',
      'é',
      'e\u0301\u0323\u0344',
      '\ud800',
      '漢',
      'Σ.',
      '\ufdfa',
    ]) {
      const text = unit.repeat(200_000 / unit.length);
      takesAtMost(1_000, () => stems(text), JSON.stringify(unit));
    }
  });
});

describe('stem', () => {
  it("stems words of three letters and more as Porter's algorithm does", () => {
    assert.equal(stem('connections'), 'connect');
    assert.equal(stem('was'), 'wa');
    assert.equal(stem('as'), 'as');
  });

  it('does not change words that are not English', () => {
    assert.equal(stem('x86s'), 'x86s');
    assert.equal(stem('мосты'), 'мосты');
  });

  it('returns the same stem on every call, for words of any length', () => {
    const long = 'internationalizations';
    assert.equal(stem(long), 'internation');
    assert.equal(stem(long), 'internation');
    assert.equal(stem('running'), 'run');
    assert.equal(stem('running'), 'run');
  });

  it('stays right after more words than its cache holds', () => {
    for (let i = 0; i < 50_010; i++) stem(`w${i}`);
    assert.equal(stem('w1'), 'w1');
    assert.equal(stem('running'), 'run');
  });
});

describe('terms', () => {
  it('leave out stop words, and stems include them', () => {
    assert.deepEqual(terms('Users of the systems'), ['user', 'system']);
    assert.deepEqual(stems('Users of the systems'), ['user', 'of', 'the', 'system']);
  });

  it('keep the order and the repetitions of the words', () => {
    assert.deepEqual(terms('beta alpha beta'), ['beta', 'alpha', 'beta']);
  });

  it('leave out a stop word before it is stemmed', () => {
    assert.equal(stem('does'), 'doe');
    assert.deepEqual(terms('does doe'), ['doe']);
  });

  it('use a list of stop words', () => {
    assert.ok(isStopWord('the'));
    assert.ok(isStopWord('now'));
    assert.ok(!isStopWord('then-some'));
    assert.ok(!isStopWord('index'));
    assert.ok(!isStopWord(''));
  });
});

describe('indexTerms', () => {
  it('joins the terms of name, heading and text, without words across their borders', () => {
    const piece = { name: 'setup.md', heading: 'Install > Linux', text: 'Run it' };
    assert.deepEqual(indexTerms(piece), ['setup', 'md', 'instal', 'linux', 'run']);
  });

  it('works without a heading', () => {
    assert.deepEqual(indexTerms({ name: 'A1', heading: null, text: 'B2' }), ['a1', 'b2']);
  });
});

it('the version of the terms is stored with entities, so a change of the version re-indexes everything', () => {
  assert.equal(TERMS_VERSION, 'terms-1');
});

describe('termNumbers', () => {
  it('returns 32 bits of FNV-1a for each term, in order, as existing databases store them', () => {
    const known = [0xe40c292c, 0xbf9cf968, 0xe40c292c];
    assert.deepEqual([...termNumbers(['a', 'foobar', 'a'])], known);
  });
});
