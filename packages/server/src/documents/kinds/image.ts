/**
 * Turns pictures into Markdown: the text that is recognized in them. A picture without text becomes an empty text, so
 * that its record is kept under its name and the picture is not examined again while it is unchanged.
 */
import { imageSize } from 'image-size';
import { SourceError } from '../../errors.ts';
import type { Convert, Converted } from '../convert.ts';
import { textLine } from '../markdown-writer.ts';
import type { Ocr } from '../ocr/ocr.ts';
import { tiffPages } from '../ocr/tiff-pages.ts';
import type { Omission } from '../omission.ts';

/**
 * Decoding a picture of this size takes 400 MB in colour, and the process of documents has 512 MB. The sizes are taken
 * from the header, so a small file that unpacks to a huge picture is refused before it is decoded.
 */
const MOST_PIXELS = 32_000_000;
/** A smaller picture is an icon: a line of text is about 10 pixels high, and a word 40 wide. */
const LEAST_PIXELS = 48;
const BETWEEN_PAGES = '\n\n';

export const convert: Convert = async (bytes, container) => {
  const { ocr } = container;
  if (!ocr) throw new Error('a picture is converted only where text is recognized');
  const texts: string[] = [];
  for (const page of tiffPages(bytes)) {
    const text = await textOf(page, ocr);
    if (typeof text === 'string') texts.push(text);
    // The first page decides about the file, and a later one only about itself.
    else if (texts.length === 0) return text;
    else {
      container.leaveOut(`pages from ${texts.length + 1}`, text);
      break;
    }
  }
  return joined(texts);
};

async function textOf(image: Uint8Array, ocr: Ocr): Promise<string | Omission> {
  const { width, height, orientation } = sizeOf(image);
  if (Math.min(width, height) < LEAST_PIXELS)
    return { reason: 'of a kind without text', detail: `a picture of ${width} × ${height} pixels` };
  if (width * height > MOST_PIXELS)
    return {
      reason: 'too large',
      detail: `${width} × ${height} pixels, more than ${MOST_PIXELS / 1e6} million`,
      hint: 'Save a smaller copy: 200 dots per inch are enough.',
    };
  const recognized = await ocr.recognize(image, orientation);
  if (recognized.is === 'undecodable') throw broken();
  if (recognized.is === 'refused') return recognized.omission;
  return recognized.is === 'text' ? markdownOf(recognized.text) : '';
}

function sizeOf(image: Uint8Array) {
  try {
    return imageSize(image);
  } catch (cause) {
    throw broken(cause);
  }
}

const broken = (cause?: unknown) =>
  new SourceError('skip', 'the picture is broken or in a form that cannot be read', {
    hint: 'Open it in a viewer and save it again as PNG.',
    cause,
  });

/** The text of a picture is not Markdown, so it is escaped. */
const markdownOf = (text: string): string =>
  text
    .split('\n')
    .map((line, i, lines) => textLine(line.trim(), i > 0 && lines[i - 1] !== ''))
    .join('\n');

function joined(texts: readonly string[]): Converted {
  if (texts.length === 1) return { text: texts[0] ?? '' };
  const pages: number[] = [];
  let text = '';
  for (const one of texts) {
    if (pages.length > 0) text += BETWEEN_PAGES;
    pages.push(text.length);
    text += one;
  }
  return { text, pages };
}
