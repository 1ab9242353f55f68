import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { converted } from '../../test/documents/converted.ts';
import { convertFile } from '../convert-file.ts';
import { convert } from './xml.ts';

const read = (source: string, name = 'a.xml') => converted(convert, Buffer.from(source), name);
const textOf = async (source: string, name?: string) => (await read(source, name)).text;

describe('XML', () => {
  describe('of a feed', () => {
    const channel = (items: string) =>
      `<?xml version="1.0"?><rss version="2.0" xmlns:content="c" xmlns:media="m"><channel>
        <title>Birds &amp; more</title><link>https://b.org</link><language>en-gb</language>
        <description>About &lt;b&gt;birds&lt;/b&gt;</description>${items}</channel></rss>`;

    it('has a section for each item of RSS, with its content', async () =>
      assert.deepEqual(
        await read(
          channel(
            '<item><media:title>no</media:title><title>Heron</title><link>https://b.org/1</link>' +
              '<pubDate>Mon, 03 Mar 2025 10:00:00 GMT</pubDate><category>grey</category>' +
              '<description>short</description><content:encoded><![CDATA[<h1>Big</h1><p>It waits.' +
              '</p>]]></content:encoded></item><item><title>Crow</title>' +
              '<description>&lt;p&gt;Black&lt;/p&gt;</description></item>',
          ),
        ),
        {
          text: '# Birds & more\n\nAbout birds\n\n## Heron\n\n2025-03-03, https://b.org/1, grey\n\n### Big\n\nIt waits.\n\n## Crow\n\nBlack',
          about: { title: 'Birds & more', language: 'en-gb' },
        },
      ));

    it('has the entries of Atom, whose content may be HTML or elements', async () =>
      assert.deepEqual(
        await read(
          '<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title><author><name>Ann</name></author>' +
            '<entry><title type="html">A &amp;lt; B</title><link rel="self" href="x"/>' +
            '<link href="https://e.org/1"/><updated>2024-05-06T07:08:09Z</updated>' +
            '<author><name>Ben</name></author><category term="x"/><content type="xhtml">' +
            '<div><p>One &lt;tag&gt;</p><ul><li>two</li></ul></div></content></entry></feed>',
        ),
        {
          text: '# T\n\n## A < B\n\n2024-05-06, Ben, https://e.org/1, x\n\nOne <tag>\n\n- two',
          about: { title: 'T', author: 'Ann' },
        },
      ));

    it('has the items of RSS 1.0, which stand beside the channel', async () =>
      assert.equal(
        await textOf(
          '<rdf:RDF><channel><title>T</title></channel><item><title>One</title></item></rdf:RDF>',
        ),
        '# T\n\n## One',
      ));

    it('may have notes of Evernote, without their files', async () =>
      assert.equal(
        await textOf(
          '<en-export><note><title>List</title><content><![CDATA[<?xml version="1.0"?><!DOCTYPE en-note' +
            ' SYSTEM "x"><en-note><div>Milk</div>Eggs</en-note>]]></content><created>20240131T120000Z' +
            '</created><tag>home</tag><resource><data>AAAA</data></resource></note></en-export>',
          'notes.enex',
        ),
        '# notes\n\n## List\n\n2024-01-31, home\n\nMilk\n\nEggs',
      ));

    it('may be a map or a track: its places, without the points of the way', async () => {
      assert.equal(
        await textOf(
          '<kml><Document><name>Trip</name><Placemark><name>Weir</name><description><![CDATA[<b>Nice' +
            '</b>]]></description><ExtendedData><Data name="height"><value>7</value></Data></ExtendedData>' +
            '<Point><coordinates>1,2,3</coordinates></Point></Placemark></Document></kml>',
        ),
        '# Trip\n\n## Weir\n\nNice\n\nheight: 7',
      );
      assert.equal(
        await textOf(
          '<gpx><metadata><name>Tour</name></metadata><wpt lat="1" lon="2"><name>Hut</name></wpt><trk>' +
            '<name>Way</name><trkseg><trkpt lat="1" lon="2"><time>x</time></trkpt></trkseg></trk></gpx>',
        ),
        '# Tour\n\n## Hut\n\n## Way',
      );
    });
  });

  it('of an outline is a nested list', async () =>
    assert.deepEqual(
      await read(
        '<opml><head><title>My list</title></head><body><outline text="News"><outline text="B" ' +
          'xmlUrl="https://b"/></outline><outline text="```" _note="a note"/></body></opml>',
      ),
      {
        text: '# My list\n\n- News\n  - B (https://b)\n- \\```\n  a note',
        about: { title: 'My list' },
      },
    ));

  it('of translations is a table with a column for each language', async () => {
    const unit = (source: string, target: string) =>
      `<trans-unit><source>${source}</source><target>${target}</target></trans-unit>`;
    assert.equal(
      await textOf(
        '<xliff version="1.2"><file original="ui.ts" source-language="en" target-language="de"><body>' +
          `${unit('Save <x id="1"/>it', 'Sichern | es')}<trans-unit><source>Open</source><note>a button` +
          '</note><alt-trans><target>no</target></alt-trans></trans-unit></body></file></xliff>',
      ),
      '# a\n\n## ui.ts\n\n| en | de | note |\n| --- | --- | --- |\n| Save it | Sichern \\| es |  |\n| Open |  | a button |',
    );
    assert.equal(
      await textOf(
        '<xliff srcLang="en" trgLang="fr"><file><unit><segment><source>A</source><target>B</target>' +
          '</segment></unit></file></xliff>',
      ),
      '# a\n\n| en | fr |\n| --- | --- |\n| A | B |',
    );
    const variants = (...pairs: string[][]) =>
      `<tu>${pairs.map(([language, text]) => `<tuv xml:lang="${language}"><seg>${text}</seg></tuv>`).join('')}</tu>`;
    assert.equal(
      await textOf(
        `<tmx><body>${variants(['en', 'Dog'], ['fr', 'Chien'])}${variants(['en', 'Cat'], ['de', 'Katze'])}</body></tmx>`,
      ),
      '# a\n\n| en | fr | de |\n| --- | --- | --- |\n| Dog | Chien |  |\n| Cat |  | Katze |',
    );
  });

  describe('of a text', () => {
    it('of DocBook has its chapters, lists and code', async () =>
      assert.deepEqual(
        await read(
          '<book><info><title>Guide</title></info><chapter><title>One</title><para>Some <emphasis>text' +
            '</emphasis>.</para><itemizedlist><listitem><para>a</para></listitem></itemizedlist><section>' +
            '<title>Sub</title><programlisting language="js">x = 1;\ny</programlisting><figure><title>Fig' +
            '</title></figure></section></chapter></book>',
        ),
        {
          text: '# Guide\n\n## One\n\nSome text.\n\n- a\n\n### Sub\n\n```js\nx = 1;\ny\n```\n\nFig',
          about: { title: 'Guide' },
        },
      ));

    it('of a book has its parts, without its pictures', async () =>
      assert.equal(
        await textOf(
          '<FictionBook><description><title-info><book-title>War</book-title><author><first-name>Leo' +
            '</first-name><last-name>T</last-name></author></title-info></description><body><section>' +
            '<title><p>Part</p><p>One</p></title><p>It was.</p></section></body><binary>AAAA</binary>' +
            '</FictionBook>',
        ),
        '# War\n\nLeo T\n\n## Part One\n\nIt was.',
      ));

    it('of an article has its sections and references', async () =>
      assert.equal(
        await textOf(
          '<article><front><journal-meta>J</journal-meta><article-meta><title-group><article-title>Herons' +
            '</article-title></title-group></article-meta></front><body><sec><title>Intro</title><p>Text ' +
            '<xref>1</xref>.</p></sec></body><back><ref-list><title>References</title><ref>' +
            '<mixed-citation>A. <source>B</source></mixed-citation></ref></ref-list></back></article>',
        ),
        '# Herons\n\n## Intro\n\nText 1.\n\n## References\n\n- A. B',
      ));

    it('of TEI has its divisions and lines', async () =>
      assert.equal(
        await textOf(
          '<TEI><teiHeader><fileDesc><titleStmt><title>Ode</title></titleStmt><publicationStmt><p>P</p>' +
            '</publicationStmt></fileDesc></teiHeader><text><body><div><head>I</head><head>Of birds</head><lg><l>one</l><l>two' +
            '</l></lg></div></body></text></TEI>',
        ),
        '# Ode\n\n## I\n\nOf birds\n\none\n\ntwo',
      ));

    it('in an unknown vocabulary has paragraphs', async () =>
      assert.equal(
        await textOf(
          '<story><part><line>The <bird>heron</bird> waits.</line><line>It <act>flies</act></line></part></story>',
        ),
        '# a\n\nThe heron waits.\n\nIt flies',
      ));
  });

  describe('of data', () => {
    it('is a table when its records have the same short fields', async () => {
      const order = (id: number) =>
        `<o:order id="${id}" xmlns:o="x"><customer>C${id}</customer><total currency="EUR">${id}|9</total></o:order>`;
      assert.equal(
        await textOf(
          `<orders><owner>Ann</owner>${order(1)}${order(2)}${order(3)}</orders>`,
          'o.xml',
        ),
        '# o\n\nowner: Ann\n\n| id | customer | total currency | total |\n| --- | --- | --- | --- |\n' +
          '| 1 | C1 | EUR | 1\\|9 |\n| 2 | C2 | EUR | 2\\|9 |\n| 3 | C3 | EUR | 3\\|9 |',
      );
    });

    it('has a paragraph for each other record, and names what is inside', async () =>
      assert.equal(
        await textOf(
          `<orders version="2"><order><items><item><name>Pen</name></item><item><name>Ink</name></item></items>` +
            `<data>${'QUJD'.repeat(99)}</data></order><order><note>${'long '.repeat(30)}</note><x>1</x></order></orders>`,
        ),
        '# a\n\norders version: 2\n\norder\nitems item name: Pen\nitems item name: Ink\n\n' +
          `order\nnote: ${'long '.repeat(30).trim()}\nx: 1`,
      ));

    it('has a section for each group of records, and lists of single values', async () =>
      assert.equal(
        await textOf(
          '<lib><books><book>A</book><book>B</book></books><people><person name="x"/><person name="y"/>' +
            '</people></lib>',
        ),
        '# a\n\n## books\n\nbook: A\nbook: B\n\n## people\n\nperson name: x\nperson name: y',
      ));

    it('without text is left out', async () => {
      for (const source of ['<a/>', '<a><b/><b/></a>', ''])
        assert.deepEqual(await convertFile('xml', 'a.xml', Buffer.from(source)), {
          is: 'skip',
          omission: { reason: 'without text that can be read', detail: 'the XML has only markup' },
        });
    });
  });

  it('is read in the encoding that it declares', async () => {
    const source = '<?xml version="1.0" encoding="windows-1251"?><a><b>';
    const bytes = Buffer.concat([
      Buffer.from(source),
      Buffer.from([0xcf, 0xf2]),
      Buffer.from('</b></a>'),
    ]);
    assert.equal((await converted(convert, bytes, 'a.xml')).text, '# a\n\nb: Пт');
  });

  it('never expands entities, and reads no other file', async () =>
    assert.equal(
      await textOf(
        '<!DOCTYPE l [<!ENTITY a "lol"><!ENTITY b "&a;&a;"><!ENTITY x SYSTEM "file:///etc/passwd">]>' +
          '<l><c>&b; &amp; &#65;</c><c>&x;</c></l>',
      ),
      '# a\n\nc: &b; & A\nc: &x;',
    ));

  it('is refused when its elements are too deep', async () => {
    for (const source of ['<a>'.repeat(10_000), `<rss>${'<item>'.repeat(10_000)}`])
      await assert.rejects(read(source), {
        kind: 'skip',
        message: 'the XML nests more than 1000 elements',
      });
  });

  it('takes linear time for large and strange files', async () => {
    const long = 'x '.repeat(5_000_000);
    assert.ok((await textOf(`<a b="${long}"><c>1</c></a>`)).length > 9_999_000);
    assert.ok((await textOf(`<a>${'<b c="1"/>'.repeat(1_000_000)}</a>`)).length > 1_000_000);
    const open = '<a>'.repeat(990);
    assert.equal(
      await textOf(`${open}x${'</b>'.repeat(500_000)}`),
      `# a\n\n${'a '.repeat(5).trim()}: x`,
    );
    const names = Array.from({ length: 200_000 }, (_, i) => `<n${i}>1</n${i}>`).join('');
    assert.ok((await textOf(`<a>${names}</a>`)).length > 1_000_000);
    assert.ok(
      (await textOf(`<rss>${'<item><title>'.repeat(400)}${'x'.repeat(5_000_000)}`)).length <
        5_100_000,
    );
  });
});
