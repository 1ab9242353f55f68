import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
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

describe('words', () => {
  for (const [what, text, expected] of CUTS)
    it(`cuts ${what}`, () => {
      assert.deepEqual(words(text), expected);
    });

  it('keeps 64 characters of a word, and no more', () => {
    assert.deepEqual(words('a'.repeat(64)), ['a'.repeat(64)]);
    assert.deepEqual(words('b'.repeat(65)), ['b'.repeat(64)]);
    assert.deepEqual(words(`é${'b'.repeat(64)}`), [`e${'b'.repeat(63)}`]);
  });

  it('does not cut a surrogate pair at that place', () => {
    const wide = '𐐨'; // This is a letter.
    assert.deepEqual(words('a'.repeat(62) + wide), ['a'.repeat(62) + wide]);
    assert.deepEqual(words('a'.repeat(63) + wide), ['a'.repeat(63)]);
  });

  it('takes linear time for every text', () => {
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
      const start = process.cpuUsage();
      stems(unit.repeat(200_000 / unit.length));
      const ms = process.cpuUsage(start).user / 1_000;
      assert.ok(ms < 1_000, `${JSON.stringify(unit)} took ${ms} ms`);
    }
  });
});

describe('stem', () => {
  it('is that of Porter for words of three letters and more', () => {
    assert.equal(stem('connections'), 'connect');
    assert.equal(stem('was'), 'wa');
    assert.equal(stem('as'), 'as');
  });

  it('leaves alone what is not English', () => {
    assert.equal(stem('x86s'), 'x86s');
    assert.equal(stem('мосты'), 'мосты');
  });

  it('is the same however long the word and however often it is asked', () => {
    const long = 'internationalizations';
    assert.equal(stem(long), 'internation');
    assert.equal(stem(long), 'internation');
    assert.equal(stem('running'), 'run');
    assert.equal(stem('running'), 'run');
  });

  it('stays right when more words came than it remembers', () => {
    for (let i = 0; i < 50_010; i++) stem(`w${i}`);
    assert.equal(stem('w1'), 'w1');
    assert.equal(stem('running'), 'run');
  });
});

describe('terms', () => {
  it('have no stop words, stems have them', () => {
    assert.deepEqual(terms('Users of the systems'), ['user', 'system']);
    assert.deepEqual(stems('Users of the systems'), ['user', 'of', 'the', 'system']);
  });

  it('keep their order and their repetitions', () => {
    assert.deepEqual(terms('beta alpha beta'), ['beta', 'alpha', 'beta']);
  });

  it('drop a stop word before it is stemmed', () => {
    assert.equal(stem('does'), 'doe');
    assert.deepEqual(terms('does doe'), ['doe']);
  });

  it('know the stop words', () => {
    assert.ok(isStopWord('the'));
    assert.ok(isStopWord('now'));
    assert.ok(!isStopWord('then-some'));
    assert.ok(!isStopWord('index'));
    assert.ok(!isStopWord(''));
  });
});

describe('indexTerms', () => {
  it('takes name, heading and text, kept apart', () => {
    const piece = { name: 'setup.md', heading: 'Install > Linux', text: 'Run it' };
    assert.deepEqual(indexTerms(piece), ['setup', 'md', 'instal', 'linux', 'run']);
  });

  it('does without a heading', () => {
    assert.deepEqual(indexTerms({ name: 'A1', heading: null, text: 'B2' }), ['a1', 'b2']);
  });
});

it('the version of the terms is part of what is stored: a change re-indexes everything', () => {
  assert.equal(TERMS_VERSION, 'terms-1');
});

describe('termNumbers', () => {
  it('are what databases hold already: 32 bits of FNV-1a, in order', () => {
    const known = [0xe40c292c, 0xbf9cf968, 0xe40c292c];
    assert.deepEqual([...termNumbers(['a', 'foobar', 'a'])], known);
  });
});
