/** Finds the pages of a PDF that are pictures, and draws them by PDFium, so that their text can be recognized. */
import type { PDFiumModule } from '@hyzyla/pdfium';

/** The types of the package leave out these functions of PDFium, whose objects are addresses. */
export interface RenderingModule {
  _FPDFFormObj_CountObjects(form: number): number;
  _FPDFFormObj_GetObject(form: number, index: number): number;
}
type Renderer = Awaited<ReturnType<typeof PDFiumModule>> & RenderingModule;

/** These are kinds of objects of a page (fpdf_edit.h). */
const IMAGE = 3;
const FORM = 5;
/** A picture of a page is among its first objects. */
const MOST_OBJECTS = 1000;
const DEEPEST_FORM = 4;

export function hasImage(pdfium: Renderer, document: number, index: number): boolean {
  const page = pdfium._FPDF_LoadPage(document, index);
  if (page === 0) return false;
  let examined = 0;
  const inForm = (form: number, depth: number): boolean =>
    among(pdfium._FPDFFormObj_CountObjects(form), depth, (i) =>
      pdfium._FPDFFormObj_GetObject(form, i),
    );
  /** A form is a group of objects, which may contain further forms. */
  function among(count: number, depth: number, objectAt: (index: number) => number): boolean {
    for (let i = 0; i < count && examined < MOST_OBJECTS; i++) {
      examined++;
      const object = objectAt(i);
      const type = pdfium._FPDFPageObj_GetType(object);
      if (type === IMAGE || (type === FORM && depth < DEEPEST_FORM && inForm(object, depth + 1)))
        return true;
    }
    return false;
  }
  try {
    return among(pdfium._FPDFPage_CountObjects(page), 0, (i) =>
      pdfium._FPDFPage_GetObject(page, i),
    );
  } finally {
    pdfium._FPDF_ClosePage(page);
  }
}

const POINTS_PER_INCH = 72;
/** With fewer dots, letters of a usual size run into each other: at 150 one word in 200 is wrong, at 200 none. */
const DOTS_PER_INCH = 200;
/** A page that is larger than A2 gets fewer dots per inch. */
const MOST_PIXELS = 16_000_000;
/** FPDFBitmap_Gray has one byte for each pixel (fpdfview.h). */
const GREY = 1;
const WHITE = 0xffffffff;
/** FPDF_ANNOT draws stamps and filled forms too, and FPDF_GRAYSCALE needs no colours (fpdfview.h). */
const FLAGS = 0x01 | 0x08;

export function pictureOf(pdfium: Renderer, document: number, index: number): Uint8Array {
  const page = pdfium._FPDF_LoadPage(document, index);
  if (page === 0) throw new Error(`page ${index + 1} of the PDF is broken`);
  const { width, height } = sizeIn(
    pdfium._FPDF_GetPageWidth(page),
    pdfium._FPDF_GetPageHeight(page),
  );
  const bitmap = pdfium._FPDFBitmap_CreateEx(width, height, GREY, 0, 0);
  try {
    if (bitmap === 0) throw new Error(`page ${index + 1} of the PDF cannot be drawn`);
    pdfium._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE);
    pdfium._FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, FLAGS);
    const from = pdfium._FPDFBitmap_GetBuffer(bitmap);
    const header = Buffer.from(`P5\n${width} ${height}\n255\n`);
    const pgm = Buffer.allocUnsafe(header.length + width * height);
    header.copy(pgm);
    pgm.set(pdfium.HEAPU8.subarray(from, from + width * height), header.length);
    return pgm;
  } finally {
    if (bitmap !== 0) pdfium._FPDFBitmap_Destroy(bitmap);
    pdfium._FPDF_ClosePage(page);
  }
}

/** Returns the size in pixels of a page whose size is in points. */
function sizeIn(width: number, height: number) {
  const inches = (width * height) / POINTS_PER_INCH ** 2;
  const dots = Math.min(DOTS_PER_INCH, Math.sqrt(MOST_PIXELS / Math.max(inches, 1e-6)));
  const pixels = (points: number) => Math.max(1, Math.round((points * dots) / POINTS_PER_INCH));
  // PDFium pads its rows to four bytes, and this width needs no padding.
  return { width: Math.ceil(pixels(width) / 4) * 4, height: pixels(height) };
}
