import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AtomBuilder, CUT, countWords, createAtoms, shortHeader } from './atoms.ts';

/** Makes atoms with these lengths. Each length has the price of the cut after it. */
function atomsOf(parts: readonly (readonly [length: number, cut: number])[]) {
  const text = parts.map(([length]) => 'x'.repeat(length)).join('');
  const atoms = createAtoms(text);
  let end = 0;
  for (const [length, cut] of parts) {
    end += length;
    atoms.add(end, cut);
  }
  return atoms.build();
}

function build(text: string, use: (atoms: AtomBuilder) => void) {
  const atoms = createAtoms(text);
  use(atoms);
  return atoms.build();
}

describe('atoms', () => {
  it('follow each other without gaps', () => {
    const text = 'The first sentence is here. The second one goes on for longer.\n';
    const atoms = build(text, (builder) => {
      assert.equal(builder.position(), 0);
      builder.add(28, CUT.sentence);
      assert.equal(builder.position(), 28);
      builder.add(28, CUT.word); // This adds nothing.
      builder.add(text.length, CUT.line);
    });
    assert.deepEqual(atoms, {
      count: 2,
      offsets: [0, 28, text.length],
      words: [0, 5, 12],
      cuts: [CUT.sentence, CUT.line],
      keeps: [0, 0],
      headers: [null, null],
    });
  });

  it('do not exist for an empty text', () => {
    assert.deepEqual(atomsOf([]), {
      count: 0,
      offsets: [0],
      words: [0],
      cuts: [],
      keeps: [],
      headers: [],
    });
  });

  it('have 500 characters at most', () => {
    assert.deepEqual(atomsOf([[500, 1]]).offsets, [0, 500]);
    const longer = atomsOf([[1_030, 1]]);
    assert.deepEqual(longer.offsets, [0, 500, 1_000, 1_030]);
    assert.deepEqual(longer.cuts, [CUT.insideWord, CUT.insideWord, 1]);
  });

  it('do not end inside a surrogate pair', () => {
    const pairs = build(`x${'😀'.repeat(400)}`, (atoms) => atoms.add(801, 1));
    assert.deepEqual(pairs.offsets, [0, 499, 801]);
    const halves = build('\ud800'.repeat(600), (atoms) => atoms.add(600, 1));
    assert.deepEqual(halves.offsets, [0, 500, 600]);
  });

  it('get another price of their cut from a later boundary', () => {
    const atoms = build('x'.repeat(200), (builder) => {
      builder.boundary(CUT.paragraph); // No atom exists yet.
      builder.add(100, CUT.line);
      builder.boundary(CUT.section, 7);
      builder.add(200, CUT.line);
      builder.boundary(CUT.paragraph);
    });
    assert.deepEqual(atoms.cuts, [CUT.section, CUT.paragraph]);
    assert.deepEqual(atoms.keeps, [7, 0]);
  });

  it('are joined where a cut is forbidden, even by a later boundary', () => {
    const atoms = build('x'.repeat(300), (builder) => {
      builder.add(100, CUT.never);
      builder.boundary(CUT.paragraph, 3);
      builder.add(200, CUT.line);
      builder.add(300, CUT.row);
    });
    assert.deepEqual(atoms.offsets, [0, 200, 300]);
    assert.deepEqual(atoms.words, [0, 2, 3]); // A word that is cut counts in both atoms.
    assert.deepEqual(atoms.cuts, [CUT.line, CUT.row]);
    assert.deepEqual(atoms.keeps, [0, 0]);
  });

  it('stay separate where a cut is forbidden, if they are too long together', () => {
    assert.deepEqual(
      atomsOf([
        [300, CUT.never],
        [200, 1],
      ]).offsets,
      [0, 500],
    );
    assert.deepEqual(
      atomsOf([
        [300, CUT.never],
        [201, 1],
      ]).offsets,
      [0, 300, 501],
    );
  });

  it('below 24 characters join the neighbour with the higher price of a cut', () => {
    const between = (length: number, before: number, behind: number) =>
      atomsOf([
        [100, before],
        [length, behind],
        [100, 1],
      ]).offsets;
    assert.deepEqual(between(23, 2, 1), [0, 123, 223]);
    assert.deepEqual(between(23, 1, 2), [0, 100, 223]);
    assert.deepEqual(between(23, 1, 1), [0, 100, 223]);
    assert.deepEqual(between(24, 2, 1), [0, 100, 124, 224]);
    assert.deepEqual(between(24, 1, 2), [0, 100, 124, 224]);
  });

  it('below 24 characters stay separate between two sections, and before a full neighbour', () => {
    assert.deepEqual(
      atomsOf([
        [100, CUT.section],
        [5, CUT.section],
        [100, 1],
      ]).offsets,
      [0, 100, 105, 205],
    );
    assert.deepEqual(
      atomsOf([
        [100, 1],
        [5, 2],
        [495, 1],
      ]).offsets,
      [0, 100, 600],
    );
    assert.deepEqual(
      atomsOf([
        [100, 1],
        [5, 2],
        [496, 1],
      ]).offsets,
      [0, 100, 105, 601],
    );
    assert.deepEqual(
      atomsOf([
        [496, 2],
        [5, 1],
        [100, 1],
      ]).offsets,
      [0, 496, 501, 601],
    );
  });

  it('below 24 characters at the start join the next atom', () => {
    assert.deepEqual(
      atomsOf([
        [5, 1],
        [100, 1],
      ]).offsets,
      [0, 105],
    );
    assert.deepEqual(
      atomsOf([
        [5, CUT.section],
        [100, 1],
      ]).offsets,
      [0, 5, 105],
    );
  });

  it('get the header that is set at their beginning', () => {
    const header = { text: 'head', words: 1 };
    const atoms = build('x'.repeat(300), (builder) => {
      builder.add(100, 1);
      builder.repeat(header);
      builder.add(200, 1);
      builder.repeat(null);
      builder.add(300, 1);
    });
    assert.deepEqual(atoms.headers, [null, header, null]);
  });
});

describe('countWords', () => {
  const counts: readonly (readonly [string, number])[] = [
    ['', 0],
    ['  ', 0],
    ['one', 1],
    [' one  two\n', 2],
    ['one\u00a0two\u3000three\tfour\r\nfive', 5.5], // The wide space counts like the characters that it separates.
    ['漢字', 1],
    ['漢字仮', 1.5],
    ['see 漢字', 2],
    ['漢字see it', 2],
    ['\u2e7f', 1],
    ['\u2e80', 0.5],
    ['a\tb\rc', 3],
    ['a\u0008b\u000ec', 1],
  ];
  for (const [text, count] of counts)
    it(`of ${JSON.stringify(text)} is ${count}`, () => {
      assert.equal(countWords(text, 0, text.length), count);
    });

  it('counts only within the given range', () => {
    assert.equal(countWords('one two three', 4, 7), 1);
    assert.equal(countWords('one two three', 2, 5), 2);
  });
});

describe('shortHeader', () => {
  it('has 400 characters and 40 words at most', () => {
    assert.deepEqual(shortHeader('x'.repeat(400)), { text: 'x'.repeat(400), words: 1 });
    assert.equal(shortHeader('x'.repeat(401)), null);
    assert.equal(shortHeader('x '.repeat(40))?.words, 40);
    assert.equal(shortHeader('x '.repeat(41)), null);
  });
});

it('the prices decide where texts are cut, so a change of a price needs a new SPLIT_VERSION', () => {
  assert.deepEqual(CUT, {
    section: 0,
    definition: 0.2,
    paragraph: 0.5,
    item: 1,
    row: 1,
    sentence: 1.5,
    line: 2,
    perhapsSentence: 2.5,
    introduction: 3,
    clause: 4,
    word: 8,
    insideWord: 12,
    never: 50,
  });
});
