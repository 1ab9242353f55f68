/**
 * Recognizes the text in the pictures of one file: of the file itself, or of everything that is inside of it. The time
 * and the number of pictures are limited, because a page takes seconds.
 */
import type { Omission } from '../omission.ts';
import type { OcrSetup } from './setup.ts';
import { loadTesseract } from './tesseract.ts';

/** Below this mean confidence, the words are guesses, such as those in a photograph or on a page that lies on its side. */
const LEAST_CONFIDENCE = 60;
/** The pictures of one file may take this time together. */
export const MAX_OCR_MS = 20 * 60_000;
/** A page of a book takes 5 s. A picture that takes longer than this shows noise. */
const MAX_PICTURE_MS = 40_000;

export type PictureText =
  | { readonly is: 'text'; readonly text: string }
  /** The picture cannot be decoded, or Tesseract fails at it. */
  | { readonly is: 'undecodable' }
  /** Nothing that looks like text is in the picture, or recognizing it took too long. */
  | { readonly is: 'unreadable' }
  /** The limits of the file are used up. */
  | { readonly is: 'refused'; readonly omission: Omission };

export interface Ocr {
  /**
   * `image` is a file in a format that Leptonica decodes. The caller has checked its dimensions. `orientation` is the one
   * that a camera has noted (Exif 2.32, tag 274); 1 stands for an upright picture.
   */
  recognize(image: Uint8Array, orientation?: number): Promise<PictureText>;
  /** Returns why no further picture is recognized, or null. */
  exhausted(): Omission | null;
}

export function createOcr(setup: OcrSetup, onProgress: () => void): Ocr {
  let pictures = 0;
  let deadline: number | undefined;

  function exhausted(): Omission | null {
    if (pictures >= setup.maxPages) return tooMany(setup.maxPages);
    return deadline !== undefined && performance.now() > deadline ? TOO_LONG : null;
  }

  async function recognize(image: Uint8Array, orientation = 1): Promise<PictureText> {
    const omission = exhausted();
    if (omission) return { is: 'refused', omission };
    pictures++;
    deadline ??= performance.now() + MAX_OCR_MS;
    const read = await loadTesseract(setup);
    const recognized = read(image, { orientation, maxMs: MAX_PICTURE_MS });
    onProgress();
    if (recognized === 'undecodable') return { is: 'undecodable' };
    return recognized === 'late' || recognized.confidence < LEAST_CONFIDENCE
      ? { is: 'unreadable' }
      : { is: 'text', text: recognized.text };
  }

  return { recognize, exhausted };
}

const REASON = 'without text that can be read';

const tooMany = (maxPages: number): Omission => ({
  reason: REASON,
  detail: `of one file, the text of ${maxPages} pictures or scanned pages is recognized`,
  hint: 'Split the file, or raise QUARRY_OCR_PAGES.',
});

const TOO_LONG: Omission = {
  reason: REASON,
  detail: `recognizing the text of the pictures before took ${MAX_OCR_MS / 60_000} minutes`,
  hint: 'Split the file.',
};

/** The document has pictures with text, of which none could be read. */
export const UNREADABLE: Omission = {
  reason: REASON,
  detail: 'the text in its pictures cannot be recognized',
  hint: 'Scan it again, upright and with 200 dots per inch or more, or set QUARRY_OCR_LANGUAGES to its language.',
};
