/**
 * Turns pictures into Markdown: the text that is recognized in them. A picture without text becomes an empty text, so
 * that its record is kept under its name and the picture is not examined again while it is unchanged.
 */
import { imageSize } from 'image-size';
import { SourceError } from '../../errors.ts';
import type { Convert } from '../convert.ts';
import { joinParts } from '../join-parts.ts';
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
/** In a broken TIFF, the chain of its pages may be very long. */
const MOST_LEFT_OUT = 100;

interface LeftOutPages {
  readonly name: string;
  readonly why: Omission | SourceError;
}

export const convert: Convert = async (bytes, container) => {
  const { ocr } = container;
  if (!ocr) throw new Error('a picture is converted only where text is recognized');
  const texts: string[] = [];
  const leftOut: LeftOutPages[] = [];
  let read = 0;
  for (const page of tiffPages(bytes)) {
    const omission = leftOut.length < MOST_LEFT_OUT ? ocr.exhausted() : TOO_MANY;
    if (omission) {
      leftOut.push({ name: `pages from ${texts.length + 1}`, why: omission });
      break;
    }
    const text = await textOf(page, ocr);
    if (typeof text === 'string') read++;
    else leftOut.push({ name: `page ${texts.length + 1}`, why: text });
    // The pages behind a page that is left out keep their numbers.
    texts.push(typeof text === 'string' ? text : '');
  }
  const [first] = leftOut;
  if (read === 0 && first) {
    if (first.why instanceof SourceError) throw first.why;
    return first.why;
  }
  for (const { name, why } of leftOut) container.leaveOut(name, why);
  return texts.length === 1 ? { text: texts.join('') } : joinParts(texts);
};

const TOO_MANY: Omission = {
  reason: 'without text that can be read',
  detail: `${MOST_LEFT_OUT} pages before could not be read`,
};

async function textOf(image: Uint8Array, ocr: Ocr): Promise<string | Omission | SourceError> {
  const size = sizeOf(image);
  if (size instanceof SourceError) return size;
  const { width, height, orientation } = size;
  if (Math.min(width, height) < LEAST_PIXELS)
    return { reason: 'of a kind without text', detail: `a picture of ${width} × ${height} pixels` };
  if (width * height > MOST_PIXELS)
    return {
      reason: 'too large',
      detail: `${width} × ${height} pixels, more than ${MOST_PIXELS / 1e6} million`,
      hint: 'Save a smaller copy: 200 dots per inch are enough.',
    };
  const recognized = await ocr.recognize(image, orientation);
  if (recognized.is === 'undecodable') return broken();
  if (recognized.is === 'refused') return recognized.omission;
  return recognized.is === 'text' ? markdownOf(recognized.text) : '';
}

function sizeOf(image: Uint8Array): ReturnType<typeof imageSize> | SourceError {
  try {
    return imageSize(image);
  } catch (cause) {
    return broken(cause);
  }
}

const broken = (cause?: unknown): SourceError =>
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
