import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { converted, convertedFile } from '../../test/documents/converted.ts';
import { convert } from './ipynb.ts';

const read = (notebook: unknown, name = 'plot.ipynb') =>
  converted(convert, Buffer.from(JSON.stringify(notebook)), name);
const markdown = (source: unknown) => ({ cell_type: 'markdown', source });
const code = (source: string, ...outputs: unknown[]) => ({ cell_type: 'code', source, outputs });
const python = { kernelspec: { language: 'Python', name: 'python3' } };
const textOf = async (...cells: unknown[]) =>
  (await read({ cells: [markdown('# T'), ...cells], metadata: python })).text.slice(5);

describe('a notebook', () => {
  it('has its text and its code, with the language of its kernel', async () => {
    const notebook = {
      cells: [markdown(['# Herons\n', '\n', 'They *wait*.']), code('x = 1\nprint(x)\n'), code('')],
      metadata: python,
      nbformat: 4,
    };
    assert.deepEqual(await read(notebook), {
      text: '# Herons\n\nThey *wait*.\n\n```python\nx = 1\nprint(x)\n```',
      about: {},
    });
  });

  it('has the language that its metadata says, where the kernel has none', async () => {
    const metadata = { kernelspec: { name: 'julia-1.11' }, language_info: { name: 'Julia' } };
    const { text } = await read({ cells: [markdown('# T'), code('x = 1')], metadata });
    assert.equal(text, '# T\n\n```julia\nx = 1\n```');
  });

  it('has a title from its metadata, or else from its name', async () => {
    const cells = [markdown('Text')];
    const authors = [{}, { name: 'Ann' }];
    assert.deepEqual(await read({ cells, metadata: { title: 'Birds', authors } }), {
      text: '# Birds\n\nText',
      about: { title: 'Birds', author: 'Ann' },
    });
    assert.equal((await read({ cells })).text, '# plot\n\nText');
  });

  it('has no names of which nothing is left without the characters that no database stores', async () => {
    const metadata = { title: '\0', name: 'Bi\0rds', authors: [{ name: '\0' }, { name: 'A\0nn' }] };
    const { about } = await read({ cells: [markdown('Text')], metadata });
    assert.deepEqual(about, { title: 'Birds', author: 'Ann' });
  });

  it('has what the code printed, but neither pictures nor warnings', async () => {
    const text = await textOf(
      code(
        'show()',
        { output_type: 'stream', name: 'stdout', text: ['\x1b[31mred\x1b[0m\n', 'two\n'] },
        { output_type: 'stream', name: 'stderr', text: 'warning' },
        { output_type: 'display_data', data: { 'image/png': 'iVBORw0KGgo=' } },
        { output_type: 'execute_result', data: { 'text/plain': '42', 'text/html': '<b>42</b>' } },
        { output_type: 'display_data', data: { 'text/markdown': '**bold**' } },
        { output_type: 'error', ename: 'KeyError', evalue: "'a'", traceback: ['long'] },
      ),
    );
    assert.equal(
      text,
      "```python\nshow()\n```\n\n```\nred\ntwo\n```\n\n```\n42\n```\n\n**bold**\n\n```\nKeyError: 'a'\n```",
    );
  });

  it('has tables of its outputs', async () => {
    const html = '<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>';
    const data = { 'text/html': [html], 'text/plain': 'a b' };
    const text = await textOf(code('df', { output_type: 'execute_result', data }));
    assert.equal(text, '```python\ndf\n```\n\n| a | b |\n| --- | --- |\n| 1 | 2 |');
  });

  it('has only the beginning of a long output, and says so', async () => {
    const printed = `${'x'.repeat(99)}\n`.repeat(50);
    const text = await textOf(code('f()', { output_type: 'stream', text: printed }));
    assert.ok(text.endsWith('\n… (3000 more characters)\n```'), text.slice(-60));
    assert.ok(text.length < 2100);
  });

  it('of format 3 is read too', async () => {
    const cells = [
      { cell_type: 'heading', level: 2, source: 'Part\none' },
      {
        cell_type: 'code',
        language: 'r',
        input: ['x <- 1'],
        outputs: [
          { output_type: 'stream', stream: 'stdout', text: 'out' },
          { output_type: 'pyout', text: '7', html: '<p>7</p>' },
          { output_type: 'pyerr', ename: 'E', evalue: 'v' },
        ],
      },
      { cell_type: 'raw', source: 'raw' },
    ];
    const { text } = await read({
      worksheets: [{ cells }],
      metadata: { name: 'Old' },
      nbformat: 3,
    });
    assert.equal(
      text,
      '# Old\n\n## Part one\n\n```r\nx <- 1\n```\n\n```\nout\n```\n\n```\n7\n```\n\n```\nE: v\n```\n\n```\nraw\n```',
    );
  });

  it('has no pictures in its text', async () =>
    assert.equal(await textOf(markdown('![a](data:image/png;base64,iVBORw0KGgo=) b')), '![a]() b'));

  it('keeps code that has fences, and a language that is not one word is left out', async () => {
    const metadata = { kernelspec: { language: 'a\n```\n# x' } };
    const { text } = await read({ cells: [markdown('# T'), code('```')], metadata });
    assert.equal(text, '# T\n\n````\n```\n````');
  });

  it('ends code that a cell or a cut output leaves open', async () => {
    for (const [source, closed] of [
      ['```py\nx', '```py\nx\n```'],
      ['a\n~~~~\n~~~\n', 'a\n~~~~\n~~~\n~~~~'],
      ['- 1. ```\n     x', '- 1. ```\n     x\n     ```'],
      ['> ```\n> x', '> ```\n> x\n> ```'],
      ['```\nx\n```\ny', '```\nx\n```\ny'],
      ['```', '```\n```'],
    ])
      assert.equal(await textOf(markdown(source), markdown('## B')), `${closed}\n\n## B`);
    const data = { 'text/markdown': `\`\`\`\n${'y\n'.repeat(1500)}\`\`\`` };
    const cut = await textOf(code('f', { output_type: 'display_data', data }), markdown('## B'));
    assert.match(cut, /\ny\n… \(\d+ more characters\)\n```\n\n## B$/);
  });

  it('leaves out cells and fields of a wrong form', async () => {
    const wrong = [null, 7, { cell_type: 'video' }, { cell_type: 'code', source: 7, outputs: 'x' }];
    assert.equal(
      await textOf(...wrong, markdown('Good'), code('y', null, { output_type: 7 })),
      'Good\n\n```python\ny\n```',
    );
  });

  it('without text is left out', async () =>
    assert.deepEqual(await convertedFile('ipynb', 'a.ipynb', Buffer.from('{"cells": []}')), {
      is: 'skip',
      omission: { reason: 'without text that can be read', detail: 'the notebook is empty' },
    }));

  for (const source of [
    '',
    '{',
    '[]',
    '{"cells": 7}',
    '{}',
    `${'['.repeat(1_000_000)}`,
    '\x00\x01',
  ])
    it(`is refused when the file is ${JSON.stringify(source.slice(0, 20))}`, () =>
      assert.rejects(converted(convert, Buffer.from(source)), {
        kind: 'skip',
        message: 'the file is broken or is not a notebook of Jupyter',
      }));

  it('may have 100,000 cells, and deep values that nobody reads', async () => {
    const many = Array.from({ length: 100_000 }, (_, i) => code(`x${i}`));
    assert.ok((await textOf(...many)).endsWith('```python\nx99999\n```'));
    const deep = `{"cells": [${JSON.stringify(markdown('# T'))}], "metadata": {"a": ${'['.repeat(100_000)}${']'.repeat(100_000)}}}`;
    assert.equal((await converted(convert, Buffer.from(deep))).text, '# T');
  });
});
