import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { strToU8, zipSync } from 'fflate';
import { converted, EMPTY_CONTAINER } from '../../test/documents/converted.ts';
import {
  encryptedOdf,
  flatOdfFile,
  type OdfOptions,
  odfFile,
} from '../../test/documents/odf-file.ts';
import { convert } from './odt.ts';

const markdown = async (body: string, options: OdfOptions = {}) =>
  (await converted(convert, odfFile(body, options))).text;
const p = (text: string, style = '') => `<text:p text:style-name="${style}">${text}</text:p>`;
const style = (family: string, name: string, display = '', parent = '') =>
  `<style:style style:name="${name}" style:family="${family}" style:parent-style-name="${parent}"><style:text-properties ${display && `text:display="${display}"`}/></style:style>`;
const cell = (inside: string) => `<table:table-cell>${inside}</table:table-cell>`;
const table = (...rows: string[][]) =>
  `<table:table>${rows.map((cells) => `<table:table-row>${cells.join('')}</table:table-row>`).join('')}</table:table>`;
const item = (...inside: string[]) => `<text:list-item>${inside.join('')}</text:list-item>`;

describe('the Markdown of an ODT', () => {
  it('has headings, titles by their styles, and code', async () => {
    const styles = [
      ['P1', 'Title'],
      ['P2', 'Subtitle'],
      ['Subtitle', 'Title'],
      ['P3', 'Preformatted_20_Text'],
      ['A', 'A'],
    ]
      .map(([name = '', parent]) => style('paragraph', name, '', parent))
      .join('');
    const body = [
      p('Guide', 'P1'),
      p('below', 'P2'),
      '<text:h text:outline-level="2">Part</text:h>',
      '<text:h>One</text:h>',
      p('if a:', 'P3'),
      p('<text:s text:c="2"/># b', 'P3'),
      p('# text', 'A'),
    ];
    assert.equal(
      await markdown(body.join(''), { styles }),
      '# Guide\n\nbelow\n\n## Part\n\n# One\n\n```\nif a:\n  # b\n```\n\n\\# text',
    );
  });

  it('has lists with their levels and numbers', async () => {
    const level = (number: number, attributes: string) =>
      `<text:list-level-style-number text:level="${number}" ${attributes}/>`;
    const styles = `<text:list-style style:name="N">${level(1, 'style:num-format="1" style:num-suffix="."')}${level(2, 'style:num-format="a" style:num-prefix="(" style:num-suffix=")" text:display-levels="2"')}</text:list-style><text:list-style style:name="B"><text:list-level-style-bullet text:level="1"/></text:list-style>`;
    const list = (style: string, attributes: string, ...items: string[]) =>
      `<text:list text:style-name="${style}" ${attributes}>${items.join('')}</text:list>`;
    const inner = `<text:list>${item(p('c'))}${item(p('d'))}</text:list>`;
    const body = [
      list('N', '', item(p('a'), p('more')), item(p('b'), inner)),
      p('between'),
      list('N', 'text:continue-numbering="true"', item(p('e'))),
      list(
        'N',
        '',
        '<text:list-item text:start-value="7"><text:p>f</text:p></text:list-item>',
        item(p('g')),
      ),
      p('between'),
      list('B', '', item(p('h'))),
      list('N', 'text:continue-list="list1"', item(p('i'))),
    ];
    assert.equal(
      await markdown(body.join(''), { styles }),
      '1. a\n   more\n2. b\n   - (2.a) c\n   - (2.b) d\n\nbetween\n\n3. e\n7. f\n8. g\n\nbetween\n\n- h\n\n9. i',
    );
  });

  it('has tables, with the places of merged cells, and nested tables in their cell', async () => {
    const row = (...cells: string[]) => `<table:table-row>${cells.join('')}</table:table-row>`;
    const nested = cell(table([cell(p('x')), cell(p('y'))]));
    const body = `<table:table><table:table-header-rows>${row(cell(p('A')), '<table:covered-table-cell/>', cell(p('B')))}</table:table-header-rows>${row(cell(p('1|2')), nested, cell(p('3')))}<table:table-row table:number-rows-repeated="1000000"><table:table-cell table:number-columns-repeated="1000000"/></table:table-row></table:table>`;
    assert.equal(await markdown(body), '| A |  | B |\n| --- | --- | --- |\n| 1\\|2 | x y | 3 |');
  });

  it('has notes, comments, frames and alternative texts', async () => {
    const note = `<text:note><text:note-citation>9</text:note-citation><text:note-body>${p('Source.')}</text:note-body></text:note>`;
    const comment = `<office:annotation><dc:creator>Ada</dc:creator><dc:date>2025</dc:date>${p('Why')}${p('so?')}</office:annotation>`;
    const frame = `<draw:frame><draw:text-box>${p('in the box')}</draw:text-box><svg:title>t</svg:title><svg:desc>a box</svg:desc></draw:frame>`;
    assert.equal(
      await markdown(p(`Claim${note}${comment} goes${frame} on`) + p(`next${note}`)),
      'Claim[1] goes a box on\n\nComment by Ada: Why so?\n\nin the box\n\nnext[2]\n\n1. Source.\n2. Source.',
    );
  });

  it('leaves out deleted and hidden text, and headers', async () => {
    const styles = style('paragraph', 'H', 'none') + style('text', 'H', 'none');
    const body = [
      `<text:tracked-changes><text:deletion>${p('deleted')}</text:deletion></text:tracked-changes>`,
      p('a<text:change-start/><text:span text:style-name="H">hidden</text:span><text:tab/>b'),
      p('hidden', 'H'),
      `<text:section text:display="none">${p('hidden')}</text:section>`,
      `<office:forms><form:textarea>${p('typed')}</form:textarea></office:forms>`,
      p(
        '<text:hidden-text text:is-hidden="true">x</text:hidden-text><text:hidden-text>c</text:hidden-text>',
      ),
      p(
        '<text:ruby><text:ruby-base>d</text:ruby-base><text:ruby-text>x</text:ruby-text></text:ruby>',
      ),
      p(
        '<draw:frame><draw:image><office:binary-data>QUJD</office:binary-data></draw:image></draw:frame>e',
      ),
      p(
        `<draw:frame><draw:object><office:document>${p('x')}</office:document></draw:object></draw:frame>f`,
      ),
      p('<text:a xlink:href="https://example.org/">link</text:a><text:line-break/>two\n   three'),
    ];
    assert.equal(
      await markdown(body.join(''), { styles }),
      'a b\n\nc\n\nd\n\ne\n\nf\n\nlink\ntwo three',
    );
  });

  it('has all columns of a wide table', async () => {
    const row = Array.from({ length: 70 }, (_, i) => cell(p(`c${i}`)));
    const [header] = (await markdown(table(row, row))).split('\n');
    assert.equal(header, `| ${Array.from({ length: 70 }, (_, i) => `c${i}`).join(' | ')} |`);
  });

  it('has a table with a table in it as blocks', async () => {
    const nested = cell(table([cell(p('a')), cell(p('b'))], [cell(p('c')), cell(p('d'))]));
    assert.equal(
      await markdown(table([nested, cell(p('x'))], [cell(p('e')), cell(p('f'))])),
      '| a | b |\n| --- | --- |\n| c | d |\n\nx\n\ne\n\nf',
    );
  });

  it('has the text of a shape after its paragraph, heading or item', async () => {
    const shape = `<draw:custom-shape>${p('in the shape')}<text:list>${item(p('listed'))}</text:list></draw:custom-shape>`;
    assert.equal(
      await markdown(`<text:h>Head${shape}</text:h>${p('body')}`),
      '# Head\n\nin the shape\n\n- listed\n\nbody',
    );
    assert.equal(
      await markdown(`<text:list>${item(p(`Item${shape} one`))}</text:list>`),
      '- Item one\n\nin the shape\n\n- listed',
    );
    const framed = `<draw:frame>${table([cell(p('A')), cell(p('B'))], [cell(p('1')), cell(p('2'))])}</draw:frame>`;
    assert.equal(await markdown(p(`a${framed}b`)), 'ab\n\n| A | B |\n| --- | --- |\n| 1 | 2 |');
    const hidden = `<draw:rect>${p('hidden', 'H')}</draw:rect>`;
    assert.equal(
      await markdown(p(`a${hidden}b`), { styles: style('paragraph', 'H', 'none') }),
      'ab',
    );
  });

  it('has the names of persons in running text, also beside comments', async () => {
    const field = '<text:creator>Bob</text:creator>';
    const comment = `<office:annotation><dc:creator>Ada</dc:creator>${p(`Why ${field}?`)}</office:annotation>`;
    assert.equal(
      await markdown(p(`Changed by ${field}${comment} today`)),
      'Changed by Bob today\n\nComment by Ada: Why Bob?',
    );
  });

  it('has no comment on a comment', async () => {
    const comment = (inside: string) => `<office:annotation>${inside}</office:annotation>`;
    assert.equal(await markdown(p(`a${comment(p(`b${comment(p('c'))}`))}`)), 'a\n\nComment: b');
  });

  it('hides what the nearest style of the same family hides', async () => {
    const styles = [
      style('paragraph', 'A'),
      style('text', 'A', 'none'),
      style('paragraph', 'B', 'none'),
      style('paragraph', 'C', 'true', 'B'),
      style('paragraph', 'D', '', 'B'),
    ].join('');
    const body = p('a', 'A') + p('b', 'B') + p('c', 'C') + p('d', 'D');
    assert.equal(await markdown(body, { styles }), 'a\n\nc');
  });

  it('hides what a condition has hidden', async () => {
    const section = (isHidden: boolean) =>
      `<text:section text:display="condition" text:is-hidden="${isHidden}">${p(`section ${isHidden}`)}</text:section>`;
    const note = (text: string) =>
      `<text:note><text:note-body>${p(text)}</text:note-body></text:note>`;
    const paragraph = (isHidden: boolean) =>
      p(
        `<text:hidden-paragraph text:is-hidden="${isHidden}"/>paragraph ${isHidden}${note(`note ${isHidden}`)}`,
      );
    assert.equal(
      await markdown(section(true) + section(false) + paragraph(true) + paragraph(false)),
      'section false\n\nparagraph false[1]\n\n1. note false',
    );
  });

  it('is the same for a flat document, and has what it says about itself', async () => {
    const meta =
      '<dc:title>The plan</dc:title><dc:creator>Bob</dc:creator><meta:initial-creator>Ada</meta:initial-creator><meta:creation-date>2025-03-04T10:00:00.123456789</meta:creation-date><dc:date>2025-03-05T10:00:00</dc:date><dc:language>de-DE</dc:language>';
    const body = p('text');
    const expected = {
      text: 'text',
      about: {
        title: 'The plan',
        author: 'Ada',
        language: 'de-DE',
        created_at: '2025-03-04T10:00:00.123456789',
        modified_at: '2025-03-05T10:00:00',
      },
    };
    assert.deepEqual(await converted(convert, odfFile(body, { meta })), expected);
    assert.deepEqual(await converted(convert, flatOdfFile(body, { meta })), expected);
    const tagged = p('a <text:meta>tagged</text:meta> b');
    assert.equal((await converted(convert, flatOdfFile(tagged))).text, 'a tagged b');
  });
});

describe('a hostile ODT', () => {
  const refused = (bytes: Uint8Array, message: string, hint?: string) =>
    assert.rejects(converted(convert, bytes), {
      kind: 'skip',
      message,
      ...(hint === undefined ? {} : { hint }),
    });
  const broken = 'the file is broken or is not an ODT';

  it('is refused when it is protected', async () => {
    await refused(
      odfFile(p('x'), { more: encryptedOdf }),
      'the ODT is protected by a password',
      'Store a copy as ODT without the password.',
    );
    const manifest = encryptedOdf['META-INF/manifest.xml'];
    await refused(
      zipSync({ 'META-INF/manifest.xml': manifest!, 'encrypted-package': new Uint8Array(50) }),
      'the ODT is protected by a password',
    );
    const compound = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)]);
    await refused(compound, 'the ODT is protected by a password');
  });

  for (const [what, bytes] of Object.entries({
    'is cut off': odfFile(p('x')).subarray(0, -30),
    'is empty': new Uint8Array(),
    'is HTML': strToU8('<html><p>x</p></html>'),
    'is text': strToU8('hello'),
    'is another archive': zipSync({ 'a.xml': new Uint8Array(3) }),
    'declares entities': strToU8(
      '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><office:document>&b;</office:document>',
    ),
  }))
    it(`is refused when the file ${what}`, () => refused(bytes, broken));

  it('is read without recursion', async () => {
    const nest = (open: string, close: string) =>
      markdown(open.repeat(7000) + p('deep') + close.repeat(7000));
    const tables = [
      '<table:table><table:table-row><table:table-cell>',
      '</table:table-cell></table:table-row></table:table>',
    ] as const;
    assert.equal(await nest(...tables), 'deep');
    const box = [
      '<text:p><draw:frame><draw:text-box>',
      '</draw:text-box></draw:frame></text:p>',
    ] as const;
    assert.equal(await nest(...box), 'deep');
    const list = ['<text:list><text:list-item>', '</text:list-item></text:list>'] as const;
    assert.equal((await nest(...list)).trim(), '- deep');
    const note = [
      '<text:note><text:note-body><text:p>',
      '</text:p></text:note-body></text:note>',
    ] as const;
    assert.match(await nest(...note), /^1\. deep\n2\. \[1\]\n3\. \[2\]\n/);
  });

  it('is left out when it has too much text, or repeats it', async () => {
    const omission = { reason: 'with too much text', detail: 'more than 10000000 characters' };
    const result = (body: string) => convert(odfFile(body), EMPTY_CONTAINER);
    assert.deepEqual(await result(p('x'.repeat(10_000_001))), omission);
    const row = `<table:table-row table:number-rows-repeated="99"><table:table-cell table:number-columns-repeated="63">${p('x'.repeat(10_000))}</table:table-cell></table:table-row>`;
    assert.deepEqual(await result(`<table:table>${row.repeat(50)}</table:table>`), omission);
    const empty = '<table:table-cell table:number-columns-repeated="63"/>'.repeat(2000);
    const wide = `<table:table-row table:number-rows-repeated="99">${cell(p('x'))}${empty}</table:table-row>`;
    assert.deepEqual(await result(`<table:table>${wide}</table:table>`), omission);
  });
});
