import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Piece } from '../model/chunk.ts';
import { embeddedText, SPLIT_VERSION, split } from './split.ts';

/** Makes `count` different words in sentences of ten words, so that every cut can be recognized. */
const prose = (count: number, word = 'word'): string =>
  Array.from({ length: count }, (_, i) =>
    i % 10 === 0 ? `W${word.slice(1)}${i}` : `${word}${i}${i % 10 === 9 ? '.' : ''}`,
  ).join(' ');
const cut = (text: string, name = 'notes.md'): Piece[] => split({ name, text });
const wordsOf = (text: string): number => text.split(/\s+/).filter(Boolean).length;
const sizes = (pieces: readonly Piece[]): number[] => pieces.map((piece) => wordsOf(piece.text));

describe('split', () => {
  it('makes one empty piece from an empty or blank text', () => {
    for (const text of ['', ' ', '\n\n', ' \r\n\t\u00a0'])
      for (const name of ['a.md', 'a.ts', 'a.csv', 'a.json'])
        assert.deepEqual(cut(text, name), [
          { text: '', heading: null, page: null, place: null, line: 1 },
        ]);
  });

  it('leaves a short text whole, without the spaces around it', () => {
    assert.deepEqual(cut('\n\n  One line.\n\nAnother.  \n'), [
      { text: '  One line.\n\nAnother.', heading: null, page: null, place: null, line: 3 },
    ]);
  });

  it('cuts running text into pieces of 120 to 200 words, at the ends of sentences', () => {
    const pieces = cut(prose(2_000));
    assert.equal(pieces.length, 13); // The number is 2,000 / 160 = 12.5, rounded up.
    for (const { text } of pieces) {
      assert.ok(wordsOf(text) >= 120 && wordsOf(text) <= 200, `${wordsOf(text)} words`);
      assert.match(text, /^Word\d*0 /);
      assert.match(text, /\.$/);
    }
  });

  it('keeps paragraphs together if they fit', () => {
    const paragraphs = [70, 90, 80, 80, 75, 85].map((count, i) => prose(count, `p${i}`));
    assert.deepEqual(
      cut(paragraphs.join('\n\n')).map(({ text }) => text),
      [0, 2, 4].map((i) => `${paragraphs[i]}\n\n${paragraphs[i + 1]}`),
    );
  });

  it('cuts after a paragraph, and not before its short last sentence', () => {
    const first = `${prose(155, 'a')}. So it is.`;
    assert.deepEqual(
      cut(`${first}\n\n${prose(160, 'b')}`).map(({ text }) => text),
      [first, prose(160, 'b')],
    );
  });

  it('keeps a colon together with the text that it introduces', () => {
    const list = `The steps are:\n\n- ${prose(60, 'b')}\n- ${prose(60, 'c')}`;
    const pieces = cut(`${prose(158, 'a')}.\n\n${list}`);
    assert.deepEqual(
      pieces.map(({ text }) => text),
      [`${prose(158, 'a')}.`, list],
    );
  });

  it('cuts a list between its items', () => {
    const items = Array.from({ length: 20 }, (_, i) => `- ${prose(31, `i${i}x`)}`);
    for (const { text } of cut(items.join('\n'))) {
      assert.match(text, /^- /);
      assert.match(text, /x30$/);
    }
  });

  it('cuts an endless sentence at its commas, and an endless word anywhere', () => {
    const clauses = Array.from({ length: 100 }, (_, i) => `clause ${i} of four,`).join(' ');
    const atClauses = cut(clauses);
    assert.ok(atClauses.length > 1);
    for (const { text } of atClauses) assert.match(text, /,$/);
    const long = Array.from({ length: 5_000 }, (_, i) => String(i % 10)).join('');
    const pieces = cut(long);
    assert.ok(pieces.length >= 3);
    assert.equal(pieces.map(({ text }) => text).join(''), long);
  });

  it('does not cut after an abbreviation if there is a better place', () => {
    const sentence = (i: number) =>
      `They came, e.g. by train number ${i}, and left on the same day.`;
    const text = Array.from({ length: 60 }, (_, i) => sentence(i)).join(' ');
    for (const piece of cut(text)) assert.match(piece.text, /^They .* day\.$/s);
  });

  it('counts characters in text without spaces, and cuts at its full stops', () => {
    const text = '北京大学的学生每天在图书馆学习，然后回家。'.repeat(100);
    const pieces = cut(text);
    assert.equal(pieces.map((piece) => piece.text).join(''), text);
    for (const piece of pieces) {
      assert.ok(piece.text.length >= 240 && piece.text.length <= 400, `${piece.text.length}`);
      assert.match(piece.text, /。$/);
    }
  });

  it('never cuts a surrogate pair', () => {
    for (const shift of ['', 'a', 'ab']) {
      const text = shift + '😀'.repeat(3_000);
      const pieces = cut(text);
      assert.ok(pieces.length > 1);
      assert.equal(pieces.map((piece) => piece.text).join(''), text);
      for (const piece of pieces) assert.ok(piece.text.isWellFormed());
    }
  });

  it('changes only the cuts near a changed text', () => {
    const paragraphs = Array.from({ length: 60 }, (_, i) => prose(40 + ((i * 37) % 60), `p${i}x`));
    const before = cut(paragraphs.join('\n\n'));
    paragraphs[3] = `${prose(55, 'changed')}`;
    const after = new Set(cut(paragraphs.join('\n\n')).map(({ text }) => text));
    const kept = before.filter(({ text }) => after.has(text)).length;
    assert.ok(kept >= before.length - 4, `${kept} of ${before.length} kept`);
  });

  it('splits a text of very many headings', () => {
    assert.ok(split({ name: 'a.md', text: '# a\n'.repeat(250_000) }).length > 1000);
  });

  it('has a version, which is stored with each entity', () => {
    assert.equal(SPLIT_VERSION, 'split-7');
  });
});

describe('lines', () => {
  it('are those in which the pieces begin, counted from 1', () => {
    const paragraphs = Array.from({ length: 8 }, (_, i) => `Paragraph ${i}. ${prose(90)}`);
    const text = `# Title\n\n${paragraphs.join('\n\n')}`;
    const pieces = cut(text);
    assert.ok(pieces.length > 3);
    for (const piece of pieces) {
      const before = text.slice(0, text.indexOf(piece.text));
      assert.equal(piece.line, before.split('\n').length, piece.text.slice(0, 20));
    }
    const rows = Array.from({ length: 400 }, (_, i) => `row ${i},some words in a row,${i}`);
    const table = cut(`id,words,number\n${rows.join('\n')}`, 'a.csv');
    const second = table[1]!;
    // The header row is repeated above the rows of each piece, and is not where the piece begins.
    const [, first = ''] = second.text.split('\n');
    assert.equal(second.line, Number(/^row (\d+)/.exec(first)?.[1]) + 2);
  });
});

describe('pages', () => {
  const pages = [0, 10, 20];
  const text = prose(480);

  it('begin with a piece of their own, so that no piece is on two pages', () => {
    const texts = ['First. ', 'Second. ', `${text} `, '', 'Fourth.'].map((one) => `${one}\n\n`);
    const starts = texts.map((_, i) => texts.slice(0, i).join('').length);
    const whole = texts.join('');
    const pieces = split({ name: 'a.pdf', text: whole, pages: starts });
    assert.deepEqual(
      pieces.map(({ page }) => page),
      [1, 2, 3, 3, 3, 5],
    );
    for (const { text: piece, page, place } of pieces) {
      assert.ok(texts[page! - 1]!.includes(piece), piece);
      assert.equal(place, `page ${page}`);
    }
  });

  it('have all headings with which they begin', () => {
    const texts = ['# Guide\n\nOne.\n\n', '## Part\n\n### Inner\n\nTwo.'];
    const starts = [0, texts[0]!.length];
    const pieces = split({ name: 'a.md', text: texts.join(''), pages: starts });
    assert.deepEqual(
      pieces.map(({ heading }) => heading),
      ['Guide', 'Guide > Part > Inner'],
    );
  });

  it('have the headings of the pages before, and may have names', () => {
    const texts = ['# Guide\n\nOne.\n\n', '## Part\n\nTwo.\n\n', 'Three.'];
    const starts = texts.map((_, i) => texts.slice(0, i).join('').length);
    const places = ['slide 1', 'slide 2', 'slide 3'];
    const pieces = split({ name: 'a.pptx', text: texts.join(''), pages: starts, places });
    assert.deepEqual(
      pieces.map(({ heading, page, place, line }) => [heading, page, place, line]),
      [
        ['Guide', null, 'slide 1', 1],
        ['Guide > Part', null, 'slide 2', 5],
        ['Guide > Part', null, 'slide 3', 9],
      ],
    );
  });

  it('are counted after the spaces at the beginning of a piece', () => {
    assert.equal(split({ name: 'a.pdf', text: '\n\n\ftext', pages: [0, 3] })[0]!.page, 2);
  });

  it('start at 1, even if the first offset is not 0', () => {
    assert.equal(split({ name: 'a.pdf', text: 'x', pages: [5] })[0]!.page, 1);
  });

  it('are null for a document without pages', () => {
    assert.equal(split({ name: 'a.md', text: 'x', pages: [] })[0]!.page, null);
    assert.equal(split({ name: 'a.md', text: 'x', pages: undefined })[0]!.page, null);
    assert.equal(split({ name: 'a.pdf', text: ' ', pages })[0]!.page, null);
  });
});

describe('embeddedText', () => {
  it('[SRH-15] is the heading path and the text', () => {
    const pieces = cut(`# Guide\n\n${prose(200)}\n\n## Setup\n\n${prose(400, 'setup')}`);
    const last = pieces.at(-1)!;
    assert.equal(last.heading, 'Guide > Setup');
    assert.ok(!last.text.includes('Guide'));
    assert.equal(embeddedText('guide.md', last), `Guide > Setup\n${last.text}`);
  });

  it('has the name only if there is nothing else', () => {
    const piece = { text: 'Body', heading: null, page: null, place: null, line: 1 };
    assert.equal(embeddedText('a.md', piece), 'Body');
    assert.equal(embeddedText('a.md', { ...piece, text: '' }), 'a.md');
  });
});

it('the sizes of the pieces of a mixed text are near the best size', () => {
  const text = `# A\n\n${prose(90)}\n\n## B\n\n${prose(300)}\n\n## C\n\n${prose(20)}\n\n## D\n\n${prose(30)}`;
  assert.deepEqual(sizes(cut(text)), [92, 152, 150, 54]);
});
