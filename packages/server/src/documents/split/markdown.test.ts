import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { split } from '../split.ts';

const cut = (text: string) => split({ name: 'a.md', text });
/** Makes a text that is long enough to be a piece of its own. */
const body = (word: string, count = 150): string =>
  Array.from(
    { length: count / 10 },
    (_, i) => `This is ${word} sentence number ${i} of its own part.`,
  ).join(' ');
const paths = (text: string) => cut(text).map((piece) => piece.heading);

describe('headings', () => {
  it('make the heading path, and stay in the text', () => {
    const text = `# Guide\n\n${body('a')}\n\n## Install\n\n${body('b')}\n\n### Linux\n\n${body('c')}\n\n## Use\n\n${body('d')}\n\n# End\n\n${body('e')}`;
    assert.deepEqual(paths(text), [
      'Guide',
      'Guide > Install',
      'Guide > Install > Linux',
      'Guide > Use',
      'End',
    ]);
    assert.deepEqual(
      cut(text).map((piece) => piece.text.split('\n')[0]),
      ['# Guide', '## Install', '### Linux', '## Use', '# End'],
    );
  });

  it('[SRH-16] do not exist in code within a list, and exist again after it', () => {
    for (const mark of ['- ', '1. ', '> * ', '- 2) ']) {
      const code = `${mark}\`\`\`sh\n  # no title\n  \`\`\`\n- two`;
      const text = `# A\n\n${code}\n\n${body('a')}\n\n## B\n\n${body('b')}`;
      assert.deepEqual(paths(text), ['A', 'A > B'], mark);
    }
  });

  it('apply to all pieces of their section', () => {
    assert.deepEqual(paths(`# A\n\n${body('a', 150)}\n\n${body('b', 150)}`), ['A', 'A']);
  });

  it('apply to a piece that begins with several of them', () => {
    assert.deepEqual(paths(`# A\n## B\n### C\n\n${body('x')}`), ['A > B > C']);
  });

  it('inside a piece apply from the next piece on', () => {
    const pieces = cut(
      `# A\n\nshort\n\n## B\n\nshort too\n\n## C\n\n${body('c')}\n\n${body('d', 200)}`,
    );
    assert.equal(pieces[0]!.heading, 'A');
    assert.equal(pieces.at(-1)!.heading, 'A > C');
  });

  it('are never the last line of a piece', () => {
    for (let words = 100; words <= 260; words += 10)
      for (const piece of cut(`${body('a', words)}\n\n## Title\n\n${body('b', 200)}`))
        assert.doesNotMatch(piece.text, /Title$/);
  });

  it('are better places for a cut than sentences, and higher levels are better than lower ones', () => {
    const parts = (a: string, b: string) =>
      `${body('a', 70)}\n\n${a} B\n\n${body('b', 70)}\n\n${b} C\n\n${body('c', 70)}`;
    const starts = (text: string) => cut(text).map((piece) => piece.text.split('\n')[0]);
    assert.equal(starts(parts('###', '#'))[1], '# C');
    assert.equal(starts(parts('#', '###'))[1], '# B');
  });

  const titles: readonly (readonly [string, string | null])[] = [
    ['# Plain', 'Plain'],
    ['   # Indented by three', 'Indented by three'],
    ['###### Six', 'Six'],
    ['# Closed ##', 'Closed'],
    ['# C#', 'C#'],
    ['#\tTab', 'Tab'],
    ['# With `code` and **bold** and _it_', 'With code and bold and it'],
    ['# snake_case_name', 'snake_case_name'],
    ['# See [the docs](https://a.b/c) now', 'See the docs now'],
    ['# ![logo](a.png) Name <br>', 'logo Name'],
    ['Underlined\n==========', 'Underlined'],
    ['Underlined\n---', 'Underlined'],
    ['# Ends with CR\r', 'Ends with CR'],
    ['#', null],
    ['####### Seven', null],
    ['#hashtag', null],
    ['    # code', null],
    ['Two lines\nof text\n---', null],
    ['- item\n---', null],
    ['Too short\n--', null],
    ['Mixed\n-=-', null],
    [`# ${'x'.repeat(400)}`, null],
    [`# ${'x'.repeat(398)}`, 'x'.repeat(100)],
  ];
  for (const [source, title] of titles)
    it(`reads ${JSON.stringify(source.slice(0, 40))}`, () => {
      assert.deepEqual(paths(`${source}\n\n${body('x', 50)}`), [title]);
    });

  it('need no blank line before them, anywhere', () => {
    const text = `${body('a')}\n# One\n${body('b')}\n\nTwo\n===\n${body('c')}\n####### no\n${body('d')}`;
    assert.deepEqual(paths(text), [null, 'One', 'Two', 'Two']);
  });

  it('have levels when they are underlined too', () => {
    assert.deepEqual(paths(`One\n===\n\nTwo\n---\n\n### Three\n\n${body('x')}`), [
      'One > Two > Three',
    ]);
    assert.deepEqual(paths(`Two\n---\n\nOne\n===\n\n${body('x')}`), ['One']);
  });

  it('are cut to 100 characters, and their path to 200 characters, without its outermost titles', () => {
    assert.equal(paths(`# ${'a'.repeat(150)}\n\nx`)[0], 'a'.repeat(100));
    assert.equal(paths(`# ${'a'.repeat(99)}😀\n\nx`)[0], 'a'.repeat(99));
    const long = `# ${'a'.repeat(70)}\n## ${'b'.repeat(70)}\n### ${'c'.repeat(70)}\n\nx`;
    assert.equal(paths(long)[0], `${'b'.repeat(70)} > ${'c'.repeat(70)}`);
    const fits = `# ${'a'.repeat(65)}\n## ${'b'.repeat(65)}\n### ${'c'.repeat(64)}\n\nx`;
    assert.equal(paths(fits)[0]!.length, 200);
    assert.equal(paths(fits.replace('ccc', 'cccc'))[0]!.length, 133);
  });

  it('do not exist inside code and front matter', () => {
    assert.deepEqual(paths(`\`\`\`sh\n# comment\n\`\`\`\n\n${body('x', 50)}`), [null]);
    assert.deepEqual(paths(`~~~\n# comment\n\`\`\`\n# more\n~~~\n# Real\n\n${body('x', 50)}`), [
      null,
    ]);
    assert.deepEqual(paths(`\`\`\`\`\n\`\`\`\n# comment\n\`\`\`\`\n`), [null]);
    assert.deepEqual(paths(`---\ntitle: x\n---\n\n${body('x', 50)}`), [null]);
    assert.deepEqual(paths(`---\n# comment\n---\n# Real\n`), [null]);
  });

  it('exist again after code', () => {
    const text = `\`\`\`\n# comment\n\`\`\`\n\n${body('w')}\n\n# Real\n\n${body('x')}`;
    assert.deepEqual(paths(text), [null, 'Real']);
  });
});

describe('tables', () => {
  const rows = (count: number) =>
    Array.from({ length: count }, (_, i) => `| row ${i} | some value ${i} |`);
  const head = '| Name | Value |\n|---|:-:|';

  it('have their header in every piece', () => {
    const pieces = cut(
      `Before.\n\n${head}\n${rows(60).join('\n')}\n\nAfter the table. ${body('x', 150)}`,
    );
    assert.ok(pieces.length > 2);
    const [first, ...others] = pieces.map((piece) => piece.text);
    assert.ok(first!.startsWith(`Before.\n\n${head}\n| row 0 |`));
    const inside = others.filter((text) => text.includes('| row '));
    assert.ok(inside.length >= 2);
    for (const text of inside) assert.ok(text.startsWith(`${head}\n| row `), text.slice(0, 60));
    assert.ok(!pieces.at(-1)!.text.includes('Name'));
  });

  it('lose no row and repeat none', () => {
    const found = cut(`${head}\n${rows(100).join('\n')}`).flatMap(
      (piece) => piece.text.match(/\| row \d+ /g) ?? [],
    );
    assert.deepEqual(
      found,
      Array.from({ length: 100 }, (_, i) => `| row ${i} `),
    );
  });

  it('do not repeat a header that would fill the piece', () => {
    const wide = `| ${'column name '.repeat(35)}| x |\n|---|---|`;
    const pieces = cut(`${wide}\n${rows(100).join('\n')}`);
    assert.ok(pieces.length > 1);
    assert.ok(!pieces[1]!.text.includes('column name'));
  });

  it('need vertical bars above the line of dashes', () => {
    const pieces = cut(`Name\n|---|---|\n${rows(60).join('\n')}`);
    assert.ok(!pieces[1]!.text.includes('Name'));
  });

  it('need a line of dashes with vertical bars', () => {
    for (const line of ['plain', '---', '| a | b |']) {
      const pieces = cut(`| Name | Value |\n${line}\n${rows(60).join('\n')}`);
      assert.ok(pieces.length > 1);
      assert.ok(!pieces[1]!.text.includes('Name'), line);
    }
  });
});

describe('fenced code', () => {
  const lines = (count: number) =>
    Array.from({ length: count }, (_, i) => `  call_number_${i}(with, three, arguments);`);

  it('opens again in every piece, and closes once', () => {
    const pieces = cut(`Intro.\n\n\`\`\`js\n${lines(120).join('\n')}\n\`\`\`\n\nOutro.`);
    assert.ok(pieces.length > 2);
    for (const [i, { text }] of pieces.entries()) {
      if (i > 0) assert.ok(text.startsWith('```js\n  call_number_'), text.slice(0, 40));
      assert.equal(text.match(/^```$/gm)?.length ?? 0, i === pieces.length - 1 ? 1 : 0);
    }
  });

  it('without an end goes on to the end of the text', () => {
    const text = `\`\`\`\n# no heading\n\n${lines(100).join('\n')}\n# none`;
    assert.deepEqual(new Set(cut(text).map((piece) => piece.heading)), new Set([null]));
  });

  it('is different from backticks within a line', () => {
    assert.deepEqual(
      paths('```not a fence``` here\n\n# Real'),
      ['Real'].map(() => null),
    );
    const text = `\`\`\`one\`\`\` line\n\n${body('a')}\n\n# Real\n\n${body('x')}`;
    assert.deepEqual(paths(text), [null, 'Real']);
  });

  it('ends at a fence of the same character that is as long or longer', () => {
    const after = `# Real\n\n${body('x')}`;
    for (const [open, close] of [
      ['```', '```'],
      ['```', '`````'],
      ['~~~~', '~~~~~'],
    ])
      assert.deepEqual(
        paths(`${open}\n${lines(40).join('\n')}\n${close}\n\n${after}`).at(-1),
        'Real',
        `${open} ${close}`,
      );
    for (const [open, close] of [
      ['````', '```'],
      ['```', '~~~'],
      ['~~~', '```'],
    ])
      assert.deepEqual(
        paths(`${open}\n${lines(40).join('\n')}\n${close}\n\n${after}`).at(-1),
        null,
        `${open} ${close}`,
      );
  });

  it('may be in a quotation or a list', () => {
    const text = `> \`\`\`\n> # none\n> \`\`\`\n\n${body('a')}\n\n# Real\n\n${body('x')}`;
    assert.deepEqual(paths(text), [null, 'Real']);
  });
});

describe('front matter', () => {
  it('stays whole at the beginning of the text', () => {
    const front = `---\ntitle: A title\ntags: [a, b]\n---`;
    const [first] = cut(`${front}\n\n${body('a')}`);
    assert.ok(first!.text.startsWith(front));
  });

  it('needs a second line of dashes', () => {
    const text = `---\n\n${body('a')}\n\n# Real\n\n${body('x')}`;
    assert.deepEqual(paths(text), [null, 'Real']);
  });
});
