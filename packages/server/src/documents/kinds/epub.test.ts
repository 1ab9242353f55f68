import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { strToU8, type Zippable, zipSync } from 'fflate';
import { converted, EMPTY_CONTAINER } from '../../test/documents/converted.ts';
import { convert } from './epub.ts';

const page = (body: string, head = '') =>
  `<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head>${head}</head><body>${body}</body></html>`;

interface BookOptions {
  readonly metadata?: string;
  readonly manifest?: string;
  readonly spine?: string;
  readonly more?: Zippable;
}

/** Maps the paths of the pages below the folder of the book to their content, in the order of reading. */
function epubFile(
  pages: Readonly<Record<string, string>>,
  { metadata = '', manifest, spine, more = {} }: BookOptions = {},
): Uint8Array {
  const paths = Object.keys(pages);
  const items = paths
    .map(
      (path, i) =>
        `<item id="i${i}" href="${encodeURI(path)}" media-type="application/xhtml+xml"/>`,
    )
    .reverse();
  const references = paths.map((_, i) => `<itemref idref="i${i}"/>`);
  return zipSync({
    mimetype: strToU8('application/epub+zip'),
    'META-INF/container.xml': strToU8(
      '<container><rootfiles><rootfile full-path="book/content.opf"/></rootfiles></container>',
    ),
    'book/content.opf': strToU8(
      `<package><metadata>${metadata}</metadata><manifest>${manifest ?? items.join('')}</manifest><spine>${spine ?? references.join('')}</spine></package>`,
    ),
    ...Object.fromEntries(
      Object.entries(pages).map(([path, content]) => [`book/${path}`, strToU8(content)]),
    ),
    ...more,
  });
}

/** Each pair has the algorithm and the path of an encrypted part. */
const encryption = (...parts: readonly (readonly [string, string])[]): Zippable => ({
  'META-INF/encryption.xml': strToU8(
    `<encryption>${parts
      .map(
        ([algorithm, path]) =>
          `<enc:EncryptedData><enc:EncryptionMethod Algorithm="${algorithm}"/><enc:CipherData><enc:CipherReference URI="${path}"/></enc:CipherData></enc:EncryptedData>`,
      )
      .join('')}</encryption>`,
  ),
});
const SCRAMBLED = 'http://www.idpf.org/2008/embedding';

describe('the Markdown of an EPUB', () => {
  it('has the chapters in the order of reading, with their places and metadata', async () => {
    const file = epubFile(
      {
        'cover.xhtml': page('<img src="cover.jpg"/>', '<title>Cover</title>'),
        'nav.xhtml': page('<nav><a href="z 1.xhtml">One</a></nav>'),
        'z 1.xhtml': page('<h1>One</h1><p>Grüße &amp; more.</p>', '<title/>'),
        'a.xhtml': page('<h2>Two</h2><ul><li>a</li></ul>', '<title>The book</title>').replace(
          /^<\?xml.*?\?>/,
          '',
        ),
      },
      {
        metadata:
          '<dc:title>The book</dc:title><dc:title>Part 2</dc:title><dc:creator>Ada</dc:creator><dc:language>de</dc:language><dc:date>2024</dc:date><meta property="dcterms:modified">2025-03-04T10:00:00Z</meta><meta name="cover" content="x"/>',
      },
    );
    assert.deepEqual(await converted(convert, file), {
      text: '# One\n\nGrüße & more.\n\n## Two\n\n- a',
      pages: [0, 22],
      places: ['chapter 1', 'chapter 2'],
      about: {
        title: 'The book',
        author: 'Ada',
        language: 'de',
        created_at: '2024',
        modified_at: '2025-03-04T10:00:00Z',
      },
    });
  });

  it('does not count the pages that the book marks as front matter', async () => {
    const marked = (type: string, body: string) =>
      page(body).replace('<body>', `<body class="x" epub:type='${type}'>`);
    const file = epubFile({
      'title.xhtml': marked('frontmatter', '<h1>The heron</h1>'),
      'list.xhtml': marked('z3998:x toc', '<p>One, two</p>'),
      'a.xhtml': marked('bodymatter', '<p>The cover of the book is frontmatter.</p>'),
      'b.xhtml': page('<section epub:type="chapter"><p>It waits.</p></section>'),
    });
    const { places } = await converted(convert, file);
    assert.deepEqual(places, ['front matter', 'front matter', 'chapter 1', 'chapter 2']);
  });

  it('is read when only its fonts are scrambled', async () => {
    const more = encryption([SCRAMBLED, 'book/a.xhtml']);
    assert.equal(
      (await converted(convert, epubFile({ 'a.xhtml': page('x') }, { more }))).text,
      'x',
    );
    const other = encryption(['http://www.w3.org/2001/04/xmlenc#aes256-cbc', 'book/font.otf']);
    const file = epubFile({ 'a.xhtml': page('x') }, { more: other });
    assert.equal((await converted(convert, file)).text, 'x');
  });

  it('is refused when its chapters have DRM', async () => {
    const encrypted = ['http://www.w3.org/2001/04/xmlenc#aes128-cbc', 'book/a%20b.xhtml'] as const;
    for (const more of [encryption(encrypted), encryption([SCRAMBLED, 'book/f.otf'], encrypted)])
      await assert.rejects(converted(convert, epubFile({ 'a b.xhtml': page('x') }, { more })), {
        kind: 'skip',
        message: 'the EPUB is protected by DRM',
        hint: 'Ask its shop for a copy without DRM: the next sync reads it.',
      });
  });

  it('is left out when its pages are only images', async () =>
    assert.deepEqual(
      await convert(
        epubFile({
          'a.xhtml': page('<img src="a.png"/>', '<title>Page 1</title>'),
          'b.xhtml': page('<img src="b.png"/>', '<title>Page 2</title>'),
        }),
        EMPTY_CONTAINER,
      ),
      {
        reason: 'without text that can be read',
        detail: 'the pages of the EPUB are images',
        hint: 'Convert it to PDF and recognize its text (OCR), for example with ocrmypdf.',
      },
    ));
});

describe('a hostile EPUB', () => {
  it('has each chapter once, and none that is missing or lies outside of the file', async () => {
    const file = epubFile(
      { 'a.xhtml': page('<p>once</p>') },
      {
        manifest: [
          'a.xhtml#x',
          '../../book/%61.xhtml',
          '../../../etc/passwd',
          'gone.xhtml',
          '%',
          '__proto__',
        ]
          .map((href, i) => `<item id="${i}" href="${href}" media-type="application/xhtml+xml"/>`)
          .join(''),
        spine: Array.from({ length: 600 }, (_, i) => `<itemref idref="${i % 7}"/>`).join(''),
      },
    );
    assert.deepEqual(await converted(convert, file), {
      text: 'once',
      pages: [0],
      places: ['chapter 1'],
    });
  });

  it('is refused when it has no chapters or is broken', async () => {
    const refused = (bytes: Uint8Array) =>
      assert.rejects(converted(convert, bytes), {
        message: 'the file is broken or is not an EPUB',
      });
    await refused(epubFile({}));
    await refused(epubFile({ 'a.xhtml': page('x') }).subarray(0, -30));
    await refused(zipSync({ 'a.xml': new Uint8Array(3) }));
    await refused(zipSync({ 'META-INF/container.xml': strToU8('<container/>') }));
    await refused(epubFile({ 'a.xhtml': page('x') }, { metadata: '<dc:title>&boom;</dc:title>' }));
    const named = '<container><rootfile full-path="toString"/></container>';
    await refused(zipSync({ 'META-INF/container.xml': strToU8(named) }));
  });

  it('is left out when it has too much text', async () => {
    const long = page('x'.repeat(6_000_000));
    assert.deepEqual(
      await convert(epubFile({ 'a.xhtml': long, 'b.xhtml': long }), EMPTY_CONTAINER),
      { reason: 'with too much text', detail: 'more than 10000000 characters' },
    );
  });
});
