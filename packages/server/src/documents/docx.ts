/**
 * Turns DOCX into Markdown, by way of HTML.
 *
 * A DOCX is a zip archive. A small archive can unpack to gigabytes, and the sizes that it declares can be false. So its
 * parts are first unpacked here with limits, each to no more than its declared size, and the converter gets a new
 * archive of these parts. Pictures and other attachments are left out.
 */
import { unzipSync, zipSync } from 'fflate';
import mammoth from 'mammoth';
import { SourceError } from '../errors.ts';
import { htmlToMarkdown } from './html.ts';

const MAX_ENTRIES = 10_000;
const MAX_BYTES = 100 * 1024 * 1024;
/** This matches the link from a footnote back to its reference, which is useless in a text. */
const BACK_LINK = /<a href="#(?:foot|end)note-ref-\d+">[^<]*<\/a>/g;
const COMPOUND_FILE = 'd0cf11e0a1b11ae1';

export async function docxToMarkdown(bytes: Uint8Array): Promise<string> {
  const parts = unpack(bytes);
  if (!Object.hasOwn(parts, '[Content_Types].xml')) throw broken();
  const buffer = Buffer.from(zipSync(parts, { level: 0 }));
  try {
    const { value } = await mammoth.convertToHtml(
      { buffer },
      {
        styleMap: ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => p:fresh"],
        convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
        externalFileAccess: false,
      },
    );
    return htmlToMarkdown(value.replaceAll(BACK_LINK, ''));
  } catch (error) {
    if (error instanceof SourceError) throw error;
    throw broken(error);
  }
}

function unpack(bytes: Uint8Array): Record<string, Uint8Array> {
  if (Buffer.from(bytes.subarray(0, 8)).toString('hex') === COMPOUND_FILE)
    throw new SourceError('skip', 'the DOCX is protected by a password or in the old DOC format', {
      hint: 'Store a copy as DOCX without the password.',
    });
  let entries = 0;
  let total = 0;
  try {
    return unzipSync(bytes, {
      filter: ({ name, size, originalSize }) => {
        if (++entries > MAX_ENTRIES) throw unpacksTooMuch(`more than ${MAX_ENTRIES} parts`);
        if (!/\.(?:xml|rels)$/i.test(name)) return false;
        total += Math.max(size, originalSize);
        if (total > MAX_BYTES) throw unpacksTooMuch(`more than ${MAX_BYTES / 1024 / 1024} MB`);
        return true;
      },
    });
  } catch (error) {
    if (error instanceof SourceError) throw error;
    throw broken(error);
  }
}

const broken = (cause?: unknown) =>
  new SourceError('skip', 'the file is broken or is not a DOCX', {
    hint: 'Open it in a word processor and save it again.',
    cause,
  });

const unpacksTooMuch = (what: string) =>
  new SourceError('skip', `the DOCX unpacks to ${what}`, {
    hint: 'Split it into smaller documents.',
  });
