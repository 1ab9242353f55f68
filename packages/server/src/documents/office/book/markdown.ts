/** Turns the chapters of an EPUB into Markdown, in the order of reading. */
import { SourceError } from '../../../errors.ts';
import type { Converted } from '../../convert.ts';
import { decodeHtml, htmlToMarkdown } from '../../html.ts';
import type { Omission } from '../../omission.ts';
import { createPaged } from '../../paged.ts';
import { cleanText } from '../../plain.ts';
import { TOO_MUCH_TEXT } from '../../too-much-text.ts';
import { brokenArchive, openArchive, unpackWanted } from '../parts.ts';
import { encryptedPaths, packagePath, readPackageDocument } from './container.ts';

const WHAT = 'EPUB';
const CONTAINER = 'META-INF/container.xml';
const ENCRYPTION = 'META-INF/encryption.xml';
/** With this, a page is parsed as XML, in which every chapter of a book is written (EPUB 3.3, 6.1). */
const DECLARATION = '<?xml version="1.0"?>';

/**
 * A page of the front matter, such as the title page, says so in its body (EPUB 3 Structural Semantics Vocabulary 1.1).
 * Readers do not count it, so the first chapter is the one after it.
 */
const FRONT_MATTER =
  /<body\b[^>]{0,300}?\sepub:type\s{0,9}=\s{0,9}["'][^"'>]{0,200}?\b(?:frontmatter|cover|titlepage|toc)\b/i;

const WITHOUT_TEXT: Omission = {
  reason: 'without text that can be read',
  detail: 'the pages of the EPUB are images',
  hint: 'Convert it to PDF and recognize its text (OCR), for example with ocrmypdf.',
};

/** Throws a SourceError 'skip' when the book is broken or has DRM. */
export function bookToMarkdown(bytes: Uint8Array): Converted | Omission {
  const archive = openArchive(bytes, { what: WHAT });
  const unpack = (paths: ReadonlySet<string>) => unpackWanted(archive, (name) => paths.has(name));
  const { [CONTAINER]: container, [ENCRYPTION]: encryption } = unpack(
    new Set([CONTAINER, ENCRYPTION]),
  );
  const path = container && packagePath(container, WHAT);
  const document = path === undefined ? undefined : unpack(new Set([path]))[path];
  if (path === undefined || !document) throw brokenArchive(WHAT);
  const { chapters, about } = readPackageDocument(document, path, WHAT);
  if (encryption) refuseEncrypted(chapters, encryptedPaths(encryption, WHAT));

  const pages = unpack(new Set(chapters));
  const paged = createPaged();
  let found = 0;
  let counted = 0;
  for (const chapter of chapters) {
    const page = pages[chapter];
    if (!page) continue;
    found++;
    const { text, isFrontMatter } = readPage(page);
    // A page without text, such as the cover, is not counted as a chapter.
    if (text === '') continue;
    paged.add(isFrontMatter ? 'front matter' : `chapter ${++counted}`, text);
    if (paged.isFull) return TOO_MUCH_TEXT;
  }
  if (found === 0) throw brokenArchive(WHAT);
  return paged.count === 0 ? WITHOUT_TEXT : { ...paged.result(), ...about };
}

function readPage(page: Uint8Array): { readonly text: string; readonly isFrontMatter: boolean } {
  const html = decodeHtml(page) ?? '';
  const body = withoutHead(html);
  const isXml = body.trimStart().startsWith('<?xml');
  const text = cleanText(htmlToMarkdown(isXml ? body : DECLARATION + body));
  return { text, isFrontMatter: FRONT_MATTER.test(html) };
}

/** The title in the head is mostly that of the book, and a page that is only an image has one too. */
function withoutHead(html: string): string {
  const body = html.search(/<body[\s/>]/i);
  return body < 0 ? html : html.slice(body);
}

function refuseEncrypted(chapters: readonly string[], encrypted: ReadonlySet<string>): void {
  if (chapters.some((chapter) => encrypted.has(chapter)))
    throw new SourceError('skip', `the ${WHAT} is protected by DRM`, {
      hint: 'Ask its shop for a copy without DRM: the next sync reads it.',
    });
}
