/** Tests how long it takes to read lines of very many text objects, with answers in the place of PDFium. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { takesAtMost } from '../../test/processor-time.ts';
import { type PdfReader, readLines } from './read-lines.ts';

const LETTERS = 200_000;
const SIZE = 10;

/** Answers for a page of one line, in which each letter is a text object, with a blank and this gap behind it. */
function readerOf(gap: number): PdfReader {
  const HEAPU8 = new Uint8Array(8192);
  const pdfium = {
    HEAPU8,
    _FPDFText_CountChars: () => 2 * LETTERS,
    _FPDFText_GetUnicode: (_: number, index: number) => (index % 2 === 0 ? 'a' : ' ').charCodeAt(0),
    _FPDFText_GetTextObject: (_: number, index: number) => index + 1,
    _FPDFText_GetFontSize: () => SIZE,
    _FPDFText_GetFontWeight: () => 400,
    _FPDFText_GetFontInfo: () => 0,
    _FPDFText_GetMatrix: () => 0,
    _FPDFTextObj_GetTextRenderMode: () => 0,
    _FPDFText_GetLooseCharBox(_: number, index: number, fourFloats: number) {
      const left = (index / 2) * (SIZE + gap);
      for (const [i, value] of [left, SIZE, left + SIZE, 0].entries())
        new DataView(HEAPU8.buffer).setFloat32(fourFloats + 4 * i, value, true);
      return 1;
    },
  };
  return { pdfium: pdfium as unknown as PdfReader['pdfium'], scratch: 0 };
}

describe('a line of very many text objects', () => {
  for (const [what, gap] of [
    ['without gaps', 0],
    ['with a gap behind each', 2 * SIZE],
  ] as const)
    it(`is read quickly ${what}`, () =>
      takesAtMost(2000, () => {
        const [line, ...others] = readLines(readerOf(gap), 0);
        assert.equal(others.length, 0);
        assert.equal(line?.text.length, 2 * LETTERS - 1);
      }));
});
