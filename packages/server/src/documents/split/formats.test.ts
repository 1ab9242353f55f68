import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { split } from '../split.ts';
import { formatOf } from './format.ts';

const cut = (name: string, text: string) => split({ name, text }).map((piece) => piece.text);

describe('format', () => {
  const names: readonly (readonly [string, string])[] = [
    ['a.md', 'markdown'],
    ['a.txt', 'markdown'],
    ['a', 'markdown'],
    ['', 'markdown'],
    ['src/a.ts', 'code'],
    ['A.PY', 'code'],
    ['a.tar.go', 'code'],
    ['Makefile', 'code'],
    ['deploy/Dockerfile', 'code'],
    ['Dockerfile notes', 'markdown'],
    ['src.ts/readme', 'markdown'],
    ['a.csv', 'csv'],
    ['a.tsv', 'csv'],
    ['a.json', 'json'],
    ['a.jsonl', 'json'],
    ['a.yml', 'yaml'],
    ['data.csv.gz', 'csv'],
    ['a.ts.GZ', 'code'],
    ['notes.gz', 'markdown'],
    ['constructor', 'markdown'],
    ['a.constructor', 'markdown'],
  ];
  for (const [name, format] of names)
    it(`of ${JSON.stringify(name)} is ${format}`, () => {
      assert.equal(formatOf(name), format);
    });

  it('is Markdown for what a converter has written, whatever the name is', () => {
    const text = '# Rivers\n\nThe weir is open.';
    assert.equal(split({ name: 'Look at main.py', text, isMarkdown: true })[0]?.heading, 'Rivers');
    assert.equal(split({ name: 'main.py', text })[0]?.heading, null);
  });
});

describe('code', () => {
  /** Makes a definition of about `lines` × 5 words. */
  const definition = (name: string, lines: number) =>
    `function ${name}() {\n${Array.from({ length: lines }, (_, i) => `  let value_${i} = ${i};${i % 7 === 6 ? '\n' : ''}`).join('\n')}\n}\n`;

  it('keeps whole definitions where they fit', () => {
    const sources = [20, 30, 55, 30, 45].map((lines, i) => definition(`f${i}`, lines));
    const pieces = cut('a.ts', sources.join('\n'));
    assert.ok(pieces.length >= 3);
    for (const piece of pieces) {
      assert.match(piece, /^function/);
      assert.match(piece, /\n\}$/);
    }
  });

  it('keeps a comment together with its definition', () => {
    const sources = [40, 40, 40].map(
      (lines, i) => `# About f${i}.\n@decorated\n${definition(`f${i}`, lines)}`,
    );
    const pieces = cut('a.py', sources.join('\n'));
    assert.ok(pieces.length > 1);
    for (const piece of pieces) assert.match(piece, /^# About/);
  });

  it('recognizes a definition directly after a closing line', () => {
    const sources = [40, 40, 40].map((lines, i) => definition(`f${i}`, lines).trimEnd());
    const pieces = cut('a.js', sources.join('\n'));
    assert.equal(pieces.length, 3);
    for (const piece of pieces) assert.match(piece, /^function f\d/);
  });

  it('cuts a definition that is too long at blank lines', () => {
    const pieces = cut('a.ts', definition('huge', 300));
    assert.ok(pieces.length > 4);
    for (const piece of pieces.slice(1)) assert.match(piece, /^ {2}let value_\d*[07]? ?/);
    for (const piece of pieces.slice(0, -1)) {
      const last = Number(/value_(\d+) = \d+;$/.exec(piece)?.[1]);
      assert.equal(last % 7, 6, piece.slice(-40));
    }
  });

  it('cuts before a method rather than inside it', () => {
    const method = (i: number) =>
      `  method${i}() {\n${Array.from({ length: 24 }, (_, k) => `    let value_${k} = ${k};${k % 6 === 5 ? '\n' : ''}`).join('\n')}\n  }\n`;
    const text = `class A {\n${Array.from({ length: 8 }, (_, i) => method(i)).join('\n')}\n}`;
    const pieces = cut('a.ts', text);
    assert.ok(pieces.length > 3);
    for (const piece of pieces.slice(1)) assert.match(piece, /^ {2}method\d\(\)/);
  });

  it('counts a tab as an indentation', () => {
    const source = `if x {\n\n\tcall(a);\n\n}\n`;
    assert.deepEqual(cut('a.go', source), [source.trim()]);
  });

  it('is named after the definitions around a piece and in it', () => {
    const method = (i: number) =>
      `  method${i}() {\n${Array.from({ length: 90 }, (_, k) => `    let value_${k} = ${k};`).join('\n')}\n  }\n`;
    const text = `class A {\n${method(0)}\n${method(1)}}`;
    const headings = split({ name: 'a.ts', text }).map((piece) => piece.heading);
    assert.equal(headings[0], 'A, method0');
    assert.ok(headings.includes('A > method0'), 'a piece in the middle has what encloses it');
    assert.equal(headings.at(-1), 'A > method1');
  });

  it('has no headings outside of definitions, and in languages without rules', () => {
    assert.equal(split({ name: 'a.py', text: '# comment\nx = 1' })[0]!.heading, null);
    assert.equal(split({ name: 'a.sql', text: 'function f() {\n}' })[0]!.heading, null);
    assert.equal(split({ name: 'Makefile', text: 'function f() {\n}' })[0]!.heading, null);
  });
});

describe('CSV', () => {
  const record = (i: number) => `${i},"Name, ${i}",some words in a field`;
  const head = 'id,name,note';

  it('is cut between records, and each piece has the header', () => {
    const records = Array.from({ length: 150 }, (_, i) => record(i));
    const pieces = cut('a.csv', `${head}\n${records.join('\n')}\n`);
    assert.ok(pieces.length > 3);
    assert.deepEqual(
      pieces.flatMap((piece) => {
        const [first, ...lines] = piece.split('\n');
        assert.equal(first, head);
        return lines;
      }),
      records,
    );
  });

  it('[SRH-15] has its header in each piece, even after blank lines and the separator line of Excel', () => {
    const rows = Array.from({ length: 300 }, (_, i) => `${i};row number ${i}`).join('\n');
    for (const above of ['', '\n  \n', 'sep=;\n']) {
      const pieces = cut('a.csv', `${above}id;name\n${rows}`);
      assert.ok(pieces.length > 2);
      for (const piece of pieces) assert.match(piece, /^(?:sep=;\n)?id;name\n\d+;/);
    }
  });

  it('keeps a field with several lines in its record', () => {
    const records = Array.from(
      { length: 60 },
      (_, i) => `${i},"first line\nsecond ""line""\n${i}",note of it`,
    );
    const pieces = cut('a.csv', `${head}\n${records.join('\n')}`);
    assert.ok(pieces.length > 2);
    for (const piece of pieces) assert.match(piece, /^id,name,note\n\d+,"first[\s\S]*,note of it$/);
  });

  it('works after a quote that is never closed', () => {
    const records = Array.from({ length: 400 }, (_, i) => `${i},${i === 3 ? '"' : ''}some words`);
    const pieces = cut('a.csv', `${head}\n${records.join('\n')}`);
    for (const piece of pieces.slice(-3)) assert.match(piece, /^id,name,note\n\d+,/);
  });

  it('may have only a header', () => {
    assert.deepEqual(cut('a.csv', head), [head]);
  });
});

describe('JSON', () => {
  const items = Array.from({ length: 60 }, (_, i) => ({
    id: `item-${i}`,
    text: `commas, brackets ] } and "quotes" \\ are no ends, ${i}`,
    tags: ['one', 'two', { deep: [1, 2, 3] }],
  }));

  it('is cut between members, whether it is on one line or on many', () => {
    for (const space of [0, 2]) {
      const pieces = cut('a.json', JSON.stringify(items, null, space));
      assert.ok(pieces.length > 3);
      for (const piece of pieces.slice(1)) assert.match(piece, /^\s*\{\s*"id"/);
    }
  });

  it('is cut between records of JSON Lines', () => {
    const pieces = cut('a.jsonl', items.map((item) => JSON.stringify(item)).join('\n'));
    assert.ok(pieces.length > 3);
    for (const piece of pieces) for (const line of piece.split('\n')) JSON.parse(line);
  });

  it('may be invalid', () => {
    const text = `]]}} "never closed, \nbut, goes on`;
    assert.deepEqual(cut('a.json', text), [text]);
    assert.deepEqual(cut('a.json', '{"a": "\\'), ['{"a": "\\']);
  });
});

describe('YAML', () => {
  const fields = (i: number, indent: string) =>
    Array.from({ length: (i * 7919) % 13 }, (_, j) => `${indent}field${j}: The heron waits`);
  const firstLines = (text: string) => cut('a.yaml', text).map((piece) => piece.split('\n')[0]);

  it('is cut before keys without indentation, and a comment stays with its key', () => {
    const keys = Array.from({ length: 60 }, (_, i) =>
      [`# About ${i}.`, '# Second.', '# Third.', `key${i}:`, ...fields(i, '  ')].join('\n'),
    );
    const lines = firstLines(keys.join('\n'));
    assert.ok(lines.length > 5);
    for (const line of lines) assert.match(line!, /^# About/);
  });

  it('is cut between its documents', () => {
    const documents = Array.from({ length: 60 }, (_, i) =>
      ['kind: Service', `metadata:`, ...fields(i, '  ')].join('\n'),
    );
    const lines = firstLines(`---\n${documents.join('\n---\n')}`);
    assert.ok(lines.length > 5);
    for (const line of lines) assert.equal(line, '---');
  });

  it('is cut between the items of a long list', () => {
    const items = Array.from({ length: 60 }, (_, i) =>
      [`  - name: n${i}`, ...fields(i, '    ')].join('\n'),
    );
    const [first, ...others] = firstLines(`items:\n${items.join('\n')}`);
    assert.equal(first, 'items:');
    assert.ok(others.length > 4);
    for (const line of others) assert.match(line!, /^ {2}- name/);
  });

  it('keeps every line, however long or deep', () => {
    const text = `a: ${'word '.repeat(5000)}\n${' '.repeat(3000)}b: 1\n\n# end`;
    const joined = cut('a.yaml', text).join(' ');
    assert.equal(joined.replaceAll(/\s/g, ''), text.replaceAll(/\s/g, ''));
  });
});

describe('records', () => {
  it('of JSON Lines are cut between lines, and of TSV have the header in each piece', () => {
    const row = (i: number) => ({ id: i, text: 'The heron waits, and waits.', inner: { a: [i] } });
    const lines = Array.from({ length: 90 }, (_, i) => JSON.stringify(row(i)));
    const pieces = cut('a.jsonl', lines.join('\n'));
    assert.ok(pieces.length > 3);
    for (const line of pieces.flatMap((piece) => piece.split('\n'))) JSON.parse(line);
    const tsv = cut(
      'a.tsv',
      `id\ttext\n${lines.map((_, i) => `${i}\tThe heron waits`).join('\n')}`,
    );
    assert.ok(tsv.length > 1);
    for (const piece of tsv) assert.match(piece, /^id\ttext\n\d+\t/);
  });
});
