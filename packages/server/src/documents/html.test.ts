import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SourceError } from '../errors.ts';
import { takesAtMost } from '../test/processor-time.ts';
import { decodeHtml, htmlToMarkdown } from './html.ts';

const cases: Record<string, readonly [html: string, markdown: string]> = {
  'headings of all levels': [
    '<h1>A</h1><h2>B</h2><h3>C</h3><h4>D</h4><h5>E</h5><h6>F</h6>',
    '# A\n\n## B\n\n### C\n\n#### D\n\n##### E\n\n###### F',
  ],
  'a heading on one line': ['<h2>A<br>b <div>c</div><p>d</p></h2>e', '## A b c d\n\ne'],
  'no heading for an empty one': ['<h2> </h2><p>a', 'a'],
  paragraphs: ['<p>a\n  b</p>\n<p>c<p>d', 'a b\n\nc\n\nd'],
  'blocks of every kind': [
    '<div>a</div><section>b</section>c<blockquote>d</blockquote>e',
    'a\n\nb\n\nc\n\n> d\n\ne',
  ],
  'quotes within quotes': ['<blockquote>a<blockquote>b</blockquote></blockquote>', '> a\n\n> > b'],
  'line breaks': ['a<br>b<br/><br>c', 'a\nb\nc'],
  'inline elements without seams': [
    'x<b>a</b><i>b</i> <span>c</span>d <em> e </em>f',
    'xab cd e f',
  ],
  'the text of links and of pictures': [
    'see <a href="/x">the <b>docs</b></a> <img alt="Logo" src=x><img>',
    'see the docs Logo',
  ],
  'entities, without soft hyphens and invisible spaces': [
    'a &amp; b&nbsp;&lt;c&gt; d&shy;e&#x200b;f',
    'a & b <c> def',
  ],
  bullets: ['<p>x</p><ul><li>a</li><li><p>b</p><p>c</p></li></ul>y', 'x\n\n- a\n- b\n  c\n\ny'],
  numbers: [
    '<ol><li>a<li>b</ol><ol start=7><li>c</ol><ol start=x><li>d</ol>',
    '1. a\n2. b\n\n7. c\n\n1. d',
  ],
  'lists within lists': [
    '<ul><li>a<ol><li>b<ul><li>c</ul><li>d</ol><li>e</ul>',
    '- a\n  1. b\n     - c\n  2. d\n- e',
  ],
  'an item without list': ['<li>a</li>b', '- a\nb'],
  'no trace of an empty item': ['<ul><li></li><li>a</li></ul>', '- a'],
  'a heading in an item': ['<ul><li><h3>a</h3>b</ul>', '- ### a\n  b'],
  'code in a line': [
    'use <code>npm  i</code>, <kbd>x</kbd> and <samp>y</samp>.',
    'use `npm i`, `x` and `y`.',
  ],
  'code as it is': [
    '<p>a<pre><code class="x language-ts">\n  if (a)\n\n    b <i>c</i>;\n</code></pre>d',
    'a\n\n```ts\n  if (a)\n\n    b c;\n```\n\nd',
  ],
  'the language of a block': ['<pre class="lang-c++">x<br>y</pre>', '```c++\nx\ny\n```'],
  'fences that the code does not close': ['<pre>a\n````\nb</pre>', '`````\na\n````\nb\n`````'],
  'nothing for an empty block of code': ['a<pre>\n</pre>b', 'a\n\nb'],
  'code in an item': ['<ul><li>a<pre>b\nc</pre></ul>', '- a\n  ```\n  b\n  c\n  ```'],
  'a table': [
    '<table><caption>T</caption><thead><tr><th>A</th><th>B</th></tr></thead><tbody><tr><td>1|2</td><td><p>x</p><p>y</p></td></tr><tr><td>3</td></tr></tbody></table>z',
    'T\n\n| A | B |\n| --- | --- |\n| 1\\|2 | x y |\n| 3 |\n\nz',
  ],
  'a table without the tags that may be left out': [
    '<table><tr><td>a<td>b<tr><td>c<td>d</table>',
    '| a | b |\n| --- | --- |\n| c | d |',
  ],
  'a table whose head has fewer cells than its rows': [
    '<table><tr><th>A<tr><td>b<td>c</table>',
    '| A |  |\n| --- | --- |\n| b | c |',
  ],
  'a table that begins with a cell': [
    '<table><td>a<td>b<tr><td>c<td>d</table>',
    '| a | b |\n| --- | --- |\n| c | d |',
  ],
  'rows of empty cells as none': [
    '<table><tr><td><td></tr><tr><td>a<td>b</tr><tr><td>c<td>d</tr></table>',
    '| a | b |\n| --- | --- |\n| c | d |',
  ],
  'cells that take several columns and rows': [
    '<table><tr><th rowspan=2>City<th colspan=2>2024<th>Sum<tr><th>Q1<th>Q2<tr><td rowspan=0>Ulm<td>1<td>2<td>3<tr><td>4<td>5<td>9</table>',
    '| City | 2024 |  | Sum |\n| --- | --- | --- | --- |\n|  | Q1 | Q2 |\n| Ulm | 1 | 2 | 3 |\n|  | 4 | 5 | 9 |',
  ],
  'cells that take more rows than their group has': [
    '<table><thead><tr><th rowspan=9>A</th><th>B</th></tr></thead><tbody><tr><td>c</td><td>d</td></tr></tbody></table>',
    '| A | B |\n| --- | --- |\n| c | d |',
  ],
  'one column of cells that take several as blocks': [
    '<table><tr><td colspan=2>a<tr><td colspan=2>b</table>',
    'a\n\nb',
  ],
  'one row as blocks': ['<table><tr><td>a<td>b</table>', 'a\n\nb'],
  'one column as blocks': ['<table><tr><td>a<tr><td>b</table>', 'a\n\nb'],
  'a table for layout as blocks': [
    '<table><tr><td><h2>A</h2></td><td>b</td></tr><tr><td>c<td>d</table>',
    '## A\n\nb\n\nc\n\nd',
  ],
  'code beside line numbers as blocks': [
    '<table><tr><td>1<td><pre>a</pre><tr><td>2<td>b</table>',
    '1\n\n```\na\n```\n\n2\n\nb',
  ],
  'a table in a table': [
    '<table><tr><td>x<td><table><tr><td>a<td>b<tr><td>c<td>d</table><tr><td>y<td>z</table>',
    'x\n\n| a | b |\n| --- | --- |\n| c | d |\n\ny\n\nz',
  ],
  'a list in a cell as its words': [
    '<table><tr><td>a<td><ul><li>b<li>c</ul><tr><td>d<td>e</table>',
    '| a | - b - c |\n| --- | --- |\n| d | e |',
  ],
  'a list of its own in a cell': [
    '<ol><li>a<table><tr><td><li>b</td></tr></table></ol>',
    '1. a\n   - b',
  ],
  'a row that stands in a cell as its words': [
    '<table><tr><td>x<td>y<tr><td>a<td><div>b<tr>c</tr></div></table>',
    '| x | y |\n| --- | --- |\n| a | b c |',
  ],
  'cells without table': ['<td>a</td><td>b</td>', 'a\n\nb'],
  'the title where there is no heading of the first level': [
    '<title> My\n page</title><h2>a</h2>',
    '# My page\n\n## a',
  ],
  'no title where there is one': ['<title>x</title><h1>a</h1>b', '# a\n\nb'],
  'the title where the only h1 has no text': [
    '<title>x</title><h1><a href="/"><img src="logo.png"></a> </h1><p>a',
    '# x\n\na',
  ],
  'no title where a picture stands for the h1': [
    '<title>x</title><h1><img alt="Logo"></h1><p>a',
    '# Logo\n\na',
  ],
  'a title alone': ['<title>x</title>', '# x'],
  'nothing that is no content': [
    'a<script>b</script><style>c</style><nav>d<p>e</p></nav><template>f</template><noscript>g</noscript><svg><title>h</title></svg><select><option>i</select><button>j</button><iframe>k</iframe>l',
    'al',
  ],
  'nothing that is hidden': [
    '<p hidden>a</p><p aria-hidden="true">b</p><div role="navigation">c</div><p aria-hidden=false>d</p><p hidden="until-found">e</p>' +
      '<p style="color: red; DISPLAY : none !important">f</p><img style=display:none alt=g><p style="display: block; --display: nonesuch">h',
    'd\n\ne\n\nh',
  ],
  'no comments': ['a<!-- b -->c', 'ac'],
  'no Markdown where a paragraph was meant': [
    '<p># a<p>#b<p>####### c<p>``` d<p>~~~ e<p>x # f',
    '\\# a\n\n#b\n\n####### c\n\n\\``` d\n\n\\~~~ e\n\nx # f',
  ],
  'text that an underline, a rule or a quotation would be': [
    '<p>a<br>===<p>b<br>-<p>c<br>--|--<p>---<p>&gt; d<p>-<p>=<ul><li>- ```<li>e<br>---</ul>',
    'a\n\\===\n\nb\n\\-\n\nc\n\\--|--\n\n\\---\n\n\\> d\n\n-\n\n=\n\n- - \\```\n- e\n  \\---',
  ],
  'no Markdown in a line that several elements make': [
    '<p><code>```</code></p><p>a<br><b>-</b>-</p><p><b>--</b>-<p><b>#</b> b<p><i>~~</i>~ c',
    '\\`````\n\na\n\\--\n\n\\---\n\n\\# b\n\n\\~~~ c',
  ],
  'no Markdown in a mark that stands alone': [
    '<p>#<p>######<p>#######',
    '\\#\n\n\\######\n\n#######',
  ],
  'a list that goes on behind a table': [
    '<ol><li>a<table><tr><td>b<td>c<tr><td>d<td>e</table><li>f</ol>',
    '1. a\n   | b | c |\n   | --- | --- |\n   | d | e |\n2. f',
  ],
  'a list that begins at a number of nine digits, and at 1 instead of a longer one': [
    '<ol start=123456789><li>a</ol><ol start=1234567890><li>b</ol>',
    '123456789. a\n\n1. b',
  ],
  'the language that the block itself names': [
    '<pre class="language-js"><code class="language-ts">a</code></pre>',
    '```js\na\n```',
  ],
  'the lines of code that are blocks': [
    '<pre><code><div>a</div><div>  b</div>\n<div>c</div>\n\n<div>d<br></div>e</code></pre><pre><ol><li>f<li>g</ol></pre>',
    '```\na\n  b\nc\n\nd\ne\n```\n\n```\nf\ng\n```',
  ],
  'what follows an element that closes itself, where that is XML': [
    '<?xml version="1.0"?><html><head><title/><script src="a"/></head><body><script src="b"/><p>c<a id="d"/></p><iframe src="e"/>f',
    'c\n\nf',
  ],
  'nothing of a script that HTML does not close': [
    '<p>a</p><script src="b"/>c</script>d',
    'a\n\nd',
  ],
  'broken markup': ['</p>a</div><b>c</i><p>d</h1', 'ac\n\nd'],
  'unfinished elements': ['<table><tr><td>a<ul><li>b<pre>c', 'a\n\n- b\n  ```\n  c\n  ```'],
  'text alone': ['  a  b ', 'a b'],
  nothing: ['', ''],
};

describe('HTML as Markdown', () => {
  for (const [what, [html, markdown]] of Object.entries(cases))
    it(`has ${what}`, () => assert.equal(htmlToMarkdown(html), markdown));

  it('has neither an overflow nor a long run time for deep nesting', () => {
    const html = `${'<div><blockquote><ul><li>'.repeat(5000)}deep${'</li></ul>'.repeat(5000)}`;
    takesAtMost(2000, () => {
      const markdown = htmlToMarkdown(html);
      assert.match(markdown, /deep$/);
      assert.ok(markdown.length < 100);
    });
  });

  it('reads code of many small pieces in linear time', () => {
    const html = `<pre>${'let <b>x</b>;'.repeat(100_000)}`;
    takesAtMost(5000, () => assert.equal(htmlToMarkdown(html).length, 600_008));
  });

  it('returns from a nesting of more than eight levels to the first level', () => {
    const html = `${'<ul><li>a'.repeat(12)}${'</ul>'.repeat(12)}<p>end`;
    const lines = htmlToMarkdown(html).split('\n');
    assert.equal(lines.at(-1), 'end');
    assert.equal(lines[7], `${' '.repeat(14)}- a`);
    assert.equal(lines[8], `${' '.repeat(16)}a`);
  });

  it('counts levels beyond the eighth, which look like the eighth', () => {
    const html = `${'<ul><li>a'.repeat(12)}${'</li></ul>'.repeat(4)}<p>tail`;
    assert.equal(htmlToMarkdown(html).split('\n').at(-1), `${' '.repeat(16)}tail`);
  });

  it('is refused when a page opens too many elements', () =>
    assert.throws(
      () => htmlToMarkdown('<div>'.repeat(30_001)),
      new SourceError('skip', 'the page nests more than 30000 elements'),
    ));

  it('has nested tables up to the fourth level', () => {
    const inner = '<table><tr><td>a<td>b<tr><td>c<td>d</table>';
    const within = (outer: number) => htmlToMarkdown('<table><tr><td>'.repeat(outer) + inner);
    assert.equal(within(3), '| a | b |\n| --- | --- |\n| c | d |');
    assert.equal(within(4), 'a\n\nb\n\nc\n\nd');
  });

  it('does not grow when a table has one long row and many short ones', () => {
    const html = `<table><tr>${'<td>a'.repeat(5000)}${'<tr><td>b'.repeat(5000)}</table>`;
    assert.ok(htmlToMarkdown(html).length < 100_000);
  });

  it('does not grow much when many cells take all rows that follow', () => {
    const table = `<table><tr>${'<td rowspan=0>a'.repeat(900)}${'<tr><td>b'.repeat(1000)}</table>`;
    assert.ok(htmlToMarkdown(table.repeat(3)).length < 500_000);
  });
});

describe('the encoding of a page', () => {
  const page = (head: string, body: string) => Buffer.from(`${head}<p>${body}`, 'latin1');
  it('is the declared one', () =>
    assert.match(decodeHtml(page('<meta charset="shift_jis">', '\x93\xfa')) ?? '', /日$/));
  it('is the one of the declaration of XML', () => {
    const xml = '<?xml version="1.0" encoding="windows-1251"?><html><meta charset="utf-8">';
    assert.match(decodeHtml(page(xml, '\xcf\xf0\xe8')) ?? '', /При$/);
    assert.match(
      decodeHtml(page('<?xml version="1.0"?><meta charset="shift_jis">', '\x93\xfa')) ?? '',
      /日$/,
    );
  });
  it('is the one declared with http-equiv', () =>
    assert.match(
      decodeHtml(page('<meta http-equiv=x content="text/html; charset=iso-8859-2">', '\xb1')) ?? '',
      /ą$/,
    ));
  it('is detected when none is declared', () =>
    assert.match(decodeHtml(page('', '\xe9')) ?? '', /é$/));
  it('is detected when the declared one is unknown', () =>
    assert.match(decodeHtml(page('<meta charset=klingon>', '\xe9')) ?? '', /é$/));
  it('is not UTF-16 when a declaration in single bytes says so', () => {
    for (const label of ['utf-16', 'UTF-16LE', 'utf-16be', 'unicode'])
      assert.match(decodeHtml(Buffer.from(`<meta charset=${label}><p>é`)) ?? '', /<p>é$/, label);
    const marked = Buffer.from('\uFEFF<meta charset=utf-16><p>é', 'utf16le');
    assert.match(decodeHtml(marked) ?? '', /<p>é$/);
  });
  it('does not exist for binary content', () => assert.equal(decodeHtml(Buffer.alloc(50)), null));
});
