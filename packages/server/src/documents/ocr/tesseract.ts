/**
 * This is our interface to Tesseract. It is C++ compiled to WebAssembly: an image is written into the file system that
 * it has in memory, and its functions return numbers for errors. It runs in the process of documents, without threads.
 */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { SourceError } from '../../errors.ts';
import { cleanText } from '../plain.ts';
import type { OcrSetup } from './setup.ts';

interface RecognizedText {
  /** Paragraphs are separated by empty lines. Words that are hyphenated at the end of a line are joined. */
  readonly text: string;
  /** This is the mean of the confidences of the words, from 0 to 100. */
  readonly confidence: number;
}

/**
 * Returns 'late' when recognizing the image takes more than `maxMs` milliseconds, and 'undecodable' also when Tesseract
 * fails at it, so that the other images of a file are read. `orientation` is the one of Exif, from 1 to 8.
 */
export type Recognize = (
  image: Uint8Array,
  options: { readonly orientation: number; readonly maxMs: number },
) => RecognizedText | 'undecodable' | 'late';

interface TesseractApi {
  /** Returns 0 when the data of the languages is complete. */
  Init(folder: string, languages: string, engine: number): number;
  SetPageSegMode(mode: number): void;
  /** Decodes the file `/input` by Leptonica. Returns 0, or 1 for a file that it cannot decode. */
  SetImageFile(orientation: number): number;
  Recognize(monitor: null): number;
  GetUTF8Text(): string;
  MeanTextConf(): number;
  /** Frees the image and the results. */
  Clear(): void;
}

interface TesseractCore {
  readonly TessBaseAPI: new () => TesseractApi;
  readonly FS: { writeFile(path: string, content: Uint8Array): void; unlink(path: string): void };
}

interface CoreModule {
  readonly default: (options: {
    readonly print: (line: string) => void;
    readonly printErr: (line: string) => void;
    /** The core calls it before each word. */
    readonly TesseractProgress: () => void;
  }) => Promise<TesseractCore>;
}

/** This is OEM_LSTM_ONLY of Tesseract. */
const NEURAL = 1;
/** This is PSM_AUTO of Tesseract: the page is segmented into columns and paragraphs, and stands upright. */
const AUTOMATIC = 3;
const INPUT = '/input';

let loading: Promise<Recognize> | undefined;

/**
 * Loads Tesseract once for the process. Throws a SourceError 'config' when its packages are damaged; it is loaded again
 * when the next picture comes, because an operator may have repaired them.
 */
export function loadTesseract(setup: OcrSetup): Promise<Recognize> {
  loading ??= load(setup).catch((error) => {
    loading = undefined;
    throw damaged(error);
  });
  return loading;
}

const damaged = (cause: unknown): SourceError =>
  new SourceError('config', `text recognition cannot be loaded: ${String(cause).slice(0, 200)}`, {
    hint: 'Install its packages again, or remove them (docs/documents.md).',
    cause,
  });

async function load({ core, languages }: OcrSetup): Promise<Recognize> {
  const { default: create }: CoreModule = await import(pathToFileURL(core).href);
  // Its messages about images that it cannot decode say no more than the number that it returns.
  let deadline = 0;
  const tesseract = await create({
    print() {},
    printErr() {},
    TesseractProgress() {
      if (performance.now() > deadline) throw new Late();
    },
  });
  for (const { name, data } of languages)
    tesseract.FS.writeFile(`/${name}.traineddata`, gunzipSync(readFileSync(data)));
  const api = new tesseract.TessBaseAPI();
  if (api.Init('/', languages.map(({ name }) => name).join('+'), NEURAL) !== 0)
    throw new Error('the data of a language is damaged');
  api.SetPageSegMode(AUTOMATIC);
  return (image, { orientation, maxMs }) => {
    deadline = performance.now() + maxMs;
    try {
      tesseract.FS.writeFile(INPUT, image);
      const isDecoded = api.SetImageFile(orientation) === 0;
      tesseract.FS.unlink(INPUT);
      if (!isDecoded) return 'undecodable';
      api.Recognize(null);
      const recognized = { text: joined(api.GetUTF8Text()), confidence: api.MeanTextConf() };
      api.Clear();
      return recognized;
    } catch (error) {
      // The memory of WebAssembly may be in any state after an error, so the next image gets a new one.
      loading = undefined;
      return error instanceof Late ? 'late' : 'undecodable';
    }
  };
}

/** This error leaves the code of the core where it is. */
class Late extends Error {
  override readonly name = 'Late';
}

/** PDFium joins hyphenated words in the same way. */
const joined = (text: string): string =>
  cleanText(text)
    .replaceAll(/(?<=\p{Ll})-\n(?=\p{Ll})/gu, '')
    .trim();
