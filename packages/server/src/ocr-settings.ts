/** These settings concern the recognition of text in pictures and scanned pages. */
import { join } from 'node:path';
import { z } from 'zod';

export const OCR_SETTINGS = {
  QUARRY_OCR: z
    .enum(['auto', 'off'])
    .default('auto')
    .describe(
      'Recognize the text in pictures and scanned pages: auto where the packages for it are installed (docs/documents.md), or off.',
    ),
  QUARRY_OCR_LANGUAGES: z
    .string()
    // The names are used in paths.
    .regex(
      /^[A-Za-z_]{3,20}(?:\+[A-Za-z_]{3,20}){0,9}$/,
      'give names of Tesseract, such as eng+deu',
    )
    .default('eng')
    .transform((text) => [...new Set(text.split('+'))])
    .describe(
      'Languages of that text, as Tesseract names them, such as eng+deu: the main one first. Each takes more time.',
    ),
  QUARRY_OCR_PAGES: z
    .string()
    .regex(/^\d{1,5}$/, 'give a number of pages')
    .default('200')
    .transform(Number)
    .pipe(z.number().min(1, 'give at least 1 page'))
    .describe(
      'Scanned pages or pictures of one file whose text is recognized. A page takes about 5 seconds.',
    ),
};

type OcrValues = z.infer<z.ZodObject<typeof OCR_SETTINGS>> & { readonly QUARRY_DATA_DIR: string };

/** Returns null when no text in pictures is recognized. */
export const ocrSettingsOf = (values: OcrValues) =>
  values.QUARRY_OCR === 'off'
    ? null
    : {
        folder: join(values.QUARRY_DATA_DIR, 'ocr'),
        languages: values.QUARRY_OCR_LANGUAGES,
        maxPages: values.QUARRY_OCR_PAGES,
      };
