/** Turns DOCX into Markdown, by way of HTML. Pictures and other attachments are left out. */
import { zipSync } from 'fflate';
import mammoth from 'mammoth';
import { SourceError } from '../../errors.ts';
import { brokenArchive, unpackParts } from '../archive-parts.ts';
import type { Convert } from '../convert.ts';
import { htmlToMarkdown } from '../html.ts';
import { cleanText } from '../plain.ts';

const WHAT = 'DOCX';
/** This matches the link from a footnote back to its reference, which is useless in a text. */
const BACK_LINK = /<a href="#(?:foot|end)note-ref-\d+">[^<]*<\/a>/g;

export const convert: Convert = async (bytes) => {
  const isWanted = (name: string) => /\.(?:xml|rels)$/i.test(name);
  const parts = unpackParts(bytes, { what: WHAT, isWanted, oldFormat: 'DOC' });
  if (!Object.hasOwn(parts, '[Content_Types].xml')) throw brokenArchive(WHAT);
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
    return { text: cleanText(htmlToMarkdown(value.replaceAll(BACK_LINK, ''))) };
  } catch (error) {
    if (error instanceof SourceError) throw error;
    throw brokenArchive(WHAT, error);
  }
};
