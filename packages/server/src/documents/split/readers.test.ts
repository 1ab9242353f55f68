/** These tests check the atoms of each kind of text, and the prices of the cuts between them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AtomBuilder, CUT, createAtoms } from './atoms.ts';
import { code } from './code.ts';
import { markdown } from './markdown.ts';
import { prose, record } from './prose.ts';
import { csv, json } from './records.ts';

type Reader = (text: string, atoms: AtomBuilder) => unknown;

const whole =
  (reader: (text: string, end: number, atoms: AtomBuilder) => void): Reader =>
  (text, atoms) =>
    reader(text, text.length, atoms);

function built(reader: Reader, text: string) {
  const atoms = createAtoms(text);
  reader(text, atoms);
  return atoms.build();
}

/** Returns the atoms. Each atom except the last is followed by the price of the cut after it. */
function read(reader: Reader, text: string): (string | number)[] {
  const { count, offsets, cuts } = built(reader, text);
  assert.equal(offsets[count], text.length, 'something is missing');
  return cuts.flatMap((cut, i) => [text.slice(offsets[i], offsets[i + 1]), cut]).slice(0, -1);
}

const headersOf = (reader: Reader, text: string) =>
  built(reader, text).headers.map((header) => header?.text ?? null);

const NAMES = 'alpha beta gamma delta epsilon'; // These are 30 characters.
const LONG = `${NAMES} ${NAMES} ${NAMES} ${NAMES} ${NAMES} ${NAMES} ${NAMES} ${NAMES}`; // These are 247 characters.

describe('prose', () => {
  const reader = whole(prose);

  for (const mark of ['.', '!', '?', '…', '."', '.)', '.”', '!**', '?»)'])
    it(`ends a sentence with ${mark}`, () => {
      const first = `${NAMES}${mark} `;
      const second = `Then ${NAMES}.`;
      assert.deepEqual(read(reader, first + second), [first, CUT.sentence, second]);
    });

  it('allows up to three closing marks after the end of a sentence', () => {
    assert.equal(read(reader, `${NAMES}.")* Then ${NAMES}`)[1], CUT.sentence);
    assert.equal(read(reader, `${NAMES}.")*_ Then ${NAMES}`).length, 1);
  });

  it('treats the end of a sentence before a small letter as uncertain, unless the line ends', () => {
    assert.equal(read(reader, `${NAMES}. then ${NAMES}`)[1], CUT.perhapsSentence);
    assert.equal(read(reader, `${NAMES}. 10 ${NAMES}`)[1], CUT.sentence);
    assert.equal(read(reader, `${NAMES}.\nthen ${NAMES}`)[1], CUT.sentence);
  });

  it('treats the end of a line as a weak end', () => {
    assert.deepEqual(read(reader, `${NAMES} \r\n ${NAMES}`), [`${NAMES} \r\n `, CUT.line, NAMES]);
    assert.deepEqual(read(reader, `${NAMES}\v${NAMES}`), [`${NAMES}\v${NAMES}`]);
  });

  for (const mark of [',', ';', ':', '—'])
    it(`cuts at ${mark} when the sentence is getting long`, () => {
      const short = 'a'.repeat(118) + mark;
      assert.deepEqual(read(reader, `${short} ${NAMES}`), [`${short} ${NAMES}`]);
      const long = 'a'.repeat(119) + mark;
      assert.deepEqual(read(reader, `${long} ${NAMES}`), [`${long} `, CUT.clause, NAMES]);
    });

  it('cuts between words when the sentence is longer', () => {
    const fits = `${'a'.repeat(239)} ${'b'.repeat(30)}`;
    assert.deepEqual(read(reader, fits), [fits]);
    const long = `${'a'.repeat(240)} ${NAMES}`;
    assert.deepEqual(read(reader, long), [`${'a'.repeat(240)} `, CUT.word, NAMES]);
  });

  it('measures the length from the last cut', () => {
    const text = `${NAMES}. ${NAMES}. ${'a'.repeat(119)} ${'b'.repeat(100)}, ${NAMES}. ${NAMES}`;
    const atoms = read(reader, text).filter((part) => typeof part === 'string');
    assert.deepEqual(
      atoms.map((part) => part.slice(0, 2)),
      ['al', 'al', 'aa', 'al', 'al'],
    );
  });

  it('cuts Chinese and Japanese at their punctuation marks, which have no space after them', () => {
    const sentence = '北京大学的学生每天在图书馆学习然后回家他们也喜欢看书';
    for (const mark of ['。', '！', '？', '．'])
      assert.deepEqual(read(reader, sentence + mark + sentence), [
        sentence + mark,
        CUT.sentence,
        sentence,
      ]);
    for (const mark of ['、', '，', '；', '：']) {
      const long = sentence.repeat(5) + mark;
      assert.deepEqual(read(reader, long + sentence), [long, CUT.clause, sentence]);
    }
  });

  it('ends at the given offset', () => {
    const text = `${NAMES}. ${NAMES}`;
    const atoms = createAtoms(text);
    prose(text, 20, atoms);
    assert.deepEqual(atoms.build().offsets, [0, 20]);
  });

  it('is not cut as a record of up to 400 characters', () => {
    const row = (length: number) => `${LONG}. Then `.padEnd(length, 'x');
    assert.deepEqual(read(whole(record), row(400)), [row(400)]);
    assert.equal(read(whole(record), row(401)).length, 3);
  });
});

describe('code', () => {
  const reader = whole(code);
  const line = (indent: string, name: string) => `${indent}call_${name}(with, arguments);\n`;

  it('has a high price of a cut inside a definition, a lower one at blank lines, and the lowest outside', () => {
    const text = [
      line('', 'a'),
      line('', 'b'),
      '\n',
      line('', 'c'),
      line('  ', 'd'),
      '\r\n',
      line('  ', 'e'),
      '   \n',
      line('    ', 'f'),
      '\n',
      line('\t\t', 'g'),
      '\n',
      line('            ', 'h'),
    ].join('');
    const prices = read(reader, text).filter((part) => typeof part === 'number');
    assert.deepEqual(prices, [10, CUT.definition, 10, 6, 7, 9, 10]);
  });

  it('does not start a piece with a closing mark', () => {
    for (const closer of ['}', ')', ']', 'end', '});'])
      for (const indent of ['', '  ']) {
        const text = `${line('  ', 'a')}\n${indent}${closer} // of what has been opened above\n`;
        assert.equal(read(reader, text)[1], 10, `${indent}${closer}`);
      }
    const text = `${line('', 'a')}\nendpoint = some_function(of, it)\n`;
    assert.equal(read(reader, text)[1], CUT.definition);
  });

  it('may start a definition after a closing mark without indentation', () => {
    const text = (closer: string) =>
      `${line('  ', 'a')}${closer} // closes the function\n${line('', 'b')}`;
    assert.equal(read(reader, text('}')).at(-2), CUT.definition);
    assert.equal(read(reader, text('  }')).at(-2), 10);
    assert.equal(read(reader, text('x')).at(-2), 10);
    const inside = `${line('  ', 'a')}} // closes the function\n${line('  ', 'b')}`;
    assert.equal(read(reader, inside).at(-2), 10);
  });

  it('considers a blank line and a closing mark only for the next line', () => {
    const text = `}  // closes some function\n\n${line('', 'a')}${line('', 'b')}`;
    assert.deepEqual(read(reader, text).filter(Number.isFinite), [CUT.definition, 10]);
  });
});

describe('Markdown', () => {
  const P = `${NAMES}.`;

  it('is cut between blocks', () => {
    const text = `${P}\n\n- ${P}\n- ${P}\n\n${P}\n\n## ${NAMES}\n\n${P}\n`;
    assert.deepEqual(read(markdown, text), [
      `${P}\n`,
      CUT.item,
      `\n- ${P}\n`,
      CUT.item,
      `- ${P}\n`,
      CUT.paragraph,
      `\n${P}\n`,
      CUT.section,
      `\n## ${NAMES}\n\n${P}\n`,
    ]);
  });

  it('has a higher price of a boundary for a heading of a higher level', () => {
    for (const level of [1, 2, 6]) {
      const { keeps } = built(markdown, `${P}\n\n${'#'.repeat(level)} ${NAMES}\n\n${P}`);
      assert.deepEqual(keeps, [10 - level, 0]);
    }
  });

  it('is kept together after a colon that introduces something', () => {
    const before = (end: string) => read(markdown, `${NAMES}${end}${P}`)[1];
    assert.equal(before(':\n\n'), CUT.introduction);
    assert.equal(before(`:${' '.repeat(6)}\n\n`), CUT.introduction);
    assert.equal(before(`:${' '.repeat(7)}\n\n`), CUT.paragraph);
    assert.equal(before('\n\n'), CUT.paragraph);
    assert.equal(read(markdown, `${NAMES}:\n- ${P}`)[1], CUT.introduction);
    assert.equal(read(markdown, `:\n\n${P}`).length, 1);
  });

  it('has tables that are cut between rows', () => {
    const row = `| ${NAMES} | ${NAMES} |\n`;
    const text = `${P}\n\n${row}|---|---|\n${row}${row}\n${P}\n`;
    assert.deepEqual(read(markdown, text), [
      `${P}\n`,
      CUT.paragraph,
      `\n${row}|---|---|\n${row}`,
      CUT.row,
      row,
      CUT.paragraph,
      `\n${P}\n`,
    ]);
    assert.deepEqual(headersOf(markdown, text), [null, null, `${row}|---|---|`, null]);
  });

  it('has code between fences', () => {
    const line = `call(${NAMES});\n`;
    const text = `${P}\n\n\`\`\`js\n${line}${line}${line}\`\`\`\n\n${P}\n`;
    assert.deepEqual(read(markdown, text), [
      `${P}\n`,
      CUT.paragraph,
      `\n\`\`\`js\n${line}`,
      10,
      line,
      10,
      `${line}\`\`\`\n`,
      CUT.paragraph,
      `\n${P}\n`,
    ]);
    assert.deepEqual(headersOf(markdown, text), [null, null, '```js', '```js', null]);
  });

  it('has fences without an end', () => {
    const line = `call(${NAMES});\n`;
    assert.deepEqual(read(markdown, `\`\`\`\n${line}${line}`), [`\`\`\`\n${line}`, 10, line]);
  });

  it('has front matter that is cut between lines', () => {
    const line = `key: ${NAMES}\n`;
    const text = `---\n${line}${line}---\n${P}\n`;
    assert.deepEqual(read(markdown, text), [
      `---\n${line}`,
      CUT.line,
      `${line}---\n`,
      CUT.paragraph,
      `${P}\n`,
    ]);
  });
});

describe('CSV', () => {
  const row = (i: number) => `${i},"${NAMES}, ""quoted"" name",x\n`;

  it('is cut between records, except after the first record', () => {
    const text = `id,name,x\n${row(1)}${row(2)}${row(3)}`;
    assert.deepEqual(read(csv, text), [`id,name,x\n${row(1)}`, CUT.row, row(2), CUT.row, row(3)]);
    assert.deepEqual(headersOf(csv, text), [null, 'id,name,x', 'id,name,x']);
  });

  it('has records over several lines, with an escaped quote or without', () => {
    const long = `"${NAMES}\n""${NAMES}""\n${NAMES}",x\n`;
    const text = `id,name,x\n${row(1)}${long}${row(2)}`;
    assert.deepEqual(read(csv, text).slice(2), [long, CUT.row, row(2)]);
  });

  it('has a header over several lines', () => {
    const text = `"id\nnumber",name\n${row(1)}${row(2)}`;
    assert.deepEqual(headersOf(csv, text), [null, '"id\nnumber",name']);
  });

  it('ends a record of 2,000 characters at its line, even within quotes', () => {
    // A quote opens the second record, which has `length` characters together with its last line.
    const lines = (length: number) =>
      `"${'x'.repeat(18)}\n`.concat(`${'y'.repeat(19)}\n`.repeat(length / 20 - 1));
    const text = `id\n${row(1)}${lines(2_000)}${row(2)}`;
    const parts = read(csv, text);
    assert.equal(parts.at(-1), row(2));
    assert.equal(parts.at(-2), CUT.row);
  });
});

describe('JSON', () => {
  it('has a higher price of a cut for a deeper member', () => {
    const value = `"${NAMES}"`;
    const text = `{"a":${value},"b":[${value},{"c":${value},"d":${value}},${value}]}\n{"e":${value}}\n`;
    assert.deepEqual(read(json, text), [
      `{"a":${value},`,
      CUT.definition + 1.5,
      `"b":[${value},`,
      CUT.definition + 3,
      `{"c":${value},`,
      CUT.definition + 4.5,
      `"d":${value}},`,
      CUT.definition + 3,
      `${value}]}\n`,
      CUT.definition,
      `{"e":${value}}\n`,
    ]);
  });

  it('has at most the price of a cut between words', () => {
    const parts = read(json, `${'['.repeat(30)}"${NAMES}",`.concat(`"${NAMES}"`));
    assert.equal(parts[1], CUT.word);
  });

  it('is not cut inside a string or at an escaped character', () => {
    const text = `["${NAMES}, \\", ${NAMES}","${NAMES}"]`;
    assert.deepEqual(read(json, text), [
      `["${NAMES}, \\", ${NAMES}",`,
      CUT.definition + 1.5,
      `"${NAMES}"]`,
    ]);
    const empty = `["",${NAMES}, ${NAMES}]`;
    assert.equal(read(json, empty).length, 3);
  });

  it('ends a string at the end of its line', () => {
    const text = `["${NAMES}\n${NAMES},${NAMES}${NAMES}]`;
    assert.equal(read(json, text)[1], CUT.definition + 1.5);
  });

  it('does not get a negative depth from additional closing brackets', () => {
    const text = `]]]"${NAMES}",["${NAMES}","${NAMES}"]`;
    assert.deepEqual(read(json, text).filter(Number.isFinite), [
      CUT.definition,
      CUT.definition + 1.5,
    ]);
  });
});
