import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { converted } from '../../test/documents/converted.ts';
import { convert } from './xml.ts';

const textOf = async (source: string, name = 'a.xml') =>
  (await converted(convert, Buffer.from(source), name)).text;

describe('XML with the root of a vocabulary', () => {
  it('is data when it has none of its items', async () => {
    assert.equal(
      await textOf(
        '<feed><title>Shop</title><product><name>Pen</name><price>3</price></product><product><name>Ink</name><price>4</price></product></feed>',
      ),
      '# a\n\ntitle: Shop\n\nproduct\nname: Pen\nprice: 3\n\nproduct\nname: Ink\nprice: 4',
    );
    assert.equal(
      await textOf(
        '<rdf:RDF><skos:Concept rdf:about="#Bird"><skos:prefLabel>Bird</skos:prefLabel><skos:note>It has feathers</skos:note></skos:Concept></rdf:RDF>',
        'birds.rdf',
      ),
      '# birds\n\nConcept\nabout: #Bird\nprefLabel: Bird\nnote: It has feathers',
    );
    assert.equal(
      await textOf(
        '<rss><channel><item><g:title>Pen</g:title><g:price>3</g:price></item></channel></rss>',
      ),
      '# a\n\nchannel\nitem title: Pen\nitem price: 3',
    );
  });

  it('may have none of its items, and only a title', async () =>
    assert.equal(await textOf('<rss><channel><title>Hi</title></channel></rss>'), '# Hi'));

  it('has no coordinates where its places have no names', async () => {
    const track = '<trk><trkseg><trkpt lat="1" lon="2"/><trkpt lat="1" lon="3"/></trkseg></trk>';
    assert.equal(
      await textOf(`<gpx><metadata><name>Tour</name></metadata>${track}</gpx>`),
      '# Tour',
    );
  });

  it('is data when it has neither a title nor paragraphs', async () => {
    assert.equal(
      await textOf('<book isbn="978" title="Rivers"/>'),
      '# a\n\nbook isbn: 978\nbook title: Rivers',
    );
    assert.equal(
      await textOf('<task id="7"><owner>Ann</owner><due>2025-01-02</due></task>'),
      '# a\n\ntask id: 7\n\nowner: Ann\ndue: 2025-01-02',
    );
    assert.equal(await textOf('<chapter><para>A text.</para></chapter>'), '# a\n\nA text.');
    assert.equal(
      await textOf('<topic><section>A <b>mixed</b> text.</section></topic>'),
      '# a\n\nA mixed text.',
    );
  });
});

describe('data in XML', () => {
  it('is a table from three records on', async () => {
    const pen = (price: number) => `<pen><ink>blue</ink><price>${price}</price></pen>`;
    assert.equal(
      await textOf(`<shop>${pen(1)}${pen(2)}</shop>`),
      '# a\n\npen\nink: blue\nprice: 1\n\npen\nink: blue\nprice: 2',
    );
    assert.equal(
      await textOf(`<shop>${pen(1)}${pen(2)}${pen(3)}</shop>`),
      '# a\n\n| ink | price |\n| --- | --- |\n| blue | 1 |\n| blue | 2 |\n| blue | 3 |',
    );
  });

  it('has no namespaces and places of schemas', async () =>
    assert.equal(
      await textOf(
        '<pen xmlns="urn:pen" xmlns:xsi="urn:xsi" xsi:schemaLocation="urn:pen pen.xsd" xsi:type="ballpoint" ink="blue"/>',
      ),
      '# a\n\npen ink: blue',
    ));
});

describe('a text in XML', () => {
  for (const name of `binary contrib-id custom-meta-group encodingDesc graphic history imagedata indexterm journal-meta
    object-id permissions profileDesc publicationStmt pub-date pub-id revhistory revisionDesc sourceDesc
    tex-math`.split(/\s+/))
    it(`has nothing of ${name}`, async () =>
      assert.equal(
        await textOf(
          `<article><title>T</title><para>One</para><${name}>x <b>gone</b> y</${name}><para>two</para></article>`,
        ),
        '# T\n\nOne\n\ntwo',
      ));
});

describe('places', () => {
  it('have the values of their schemas', async () =>
    assert.equal(
      await textOf(
        '<kml><Placemark><name>Weir</name><ExtendedData><SchemaData><SimpleData name="height">7</SimpleData></SchemaData></ExtendedData></Placemark></kml>',
      ),
      '# a\n\n## Weir\n\nheight: 7',
    ));

  it('stand below the name and description of their folder', async () =>
    assert.equal(
      await textOf(
        '<kml><Document><name>Trip</name><Folder><name>Hikes</name><description>All of them</description>' +
          '<Placemark><name>Weir</name></Placemark><Folder><name>Old</name><Placemark><name>Mill</name>' +
          '</Placemark></Folder></Folder><Folder><name>Empty</name></Folder></Document></kml>',
        'a.kml',
      ),
      '# Trip\n\n## Hikes\n\nAll of them\n\n## Weir\n\n## Old\n\n## Mill\n\n## Empty',
    ));

  it('may be the points of a route', async () =>
    assert.equal(
      await textOf(
        '<gpx><rte><name>Way</name><rtept lat="1" lon="2"><name>Hut</name><desc>Water</desc></rtept>' +
          '<rtept lat="1" lon="3"/></rte><wpt><name>Top</name></wpt></gpx>',
        'a.gpx',
      ),
      '# a\n\n## Way\n\n## Hut\n\nWater\n\n## Top',
    ));
});

describe('a text of a feed', () => {
  const entry = (fields: string) => `<feed><title>T</title><entry>${fields}</entry></feed>`;

  it('is plain in Atom unless its type says otherwise', async () => {
    const words = 'List&lt;String&gt; &amp;amp; more';
    assert.equal(
      await textOf(entry(`<title>${words}</title><summary>use &lt;b&gt; tags</summary>`)),
      '# T\n\n## List<String> &amp; more\n\nuse <b> tags',
    );
    assert.equal(
      await textOf(
        entry(`<title type="text">${words}</title><content type="html">a&lt;br&gt;b</content>`),
      ),
      '# T\n\n## List<String> &amp; more\n\na\nb',
    );
  });

  it('is HTML in RSS', async () =>
    assert.equal(
      await textOf('<rss><channel><item><title>A &amp;amp; B</title></item></channel></rss>'),
      '# a\n\n## A & B',
    ));
});

describe('translations', () => {
  const variants = (...pairs: string[][]) =>
    `<tu>${pairs.map(([language, text]) => `<tuv xml:lang="${language}"><seg>${text}</seg></tuv>`).join('')}</tu>`;

  it('have a column for each of many languages', async () => {
    const languages = Array.from({ length: 124 }, (_, i) => `l${i}`);
    const unit = variants(...languages.map((language) => [language, `in ${language}`]));
    const [header, , first] = (await textOf(`<tmx><body>${unit}${unit}</body></tmx>`))
      .split('\n')
      .slice(2);
    assert.equal(header, `| ${languages.join(' | ')} |`);
    assert.equal(first, `| ${languages.map((language) => `in ${language}`).join(' | ')} |`);
  });

  it('are lines when most cells of the table would be empty', async () => {
    const units = Array.from({ length: 300 }, (_, i) => variants(['en', `a ${i}`], [`l${i}`, 'b']));
    const lines = (await textOf(`<tmx><body>${units.join('')}</body></tmx>`)).split('\n');
    assert.equal(lines.length, 302);
    assert.equal(lines.at(-1), '- en: a 299; l299: b');
  });
});
