/**
 * Finds the packages that recognize text in pictures: `tesseract.js-core`, which is Tesseract compiled to WebAssembly,
 * and one package `@tesseract.js-data/…` for each language. They are 60 MB, so Quarry does not depend on them; an
 * operator who wants them installs them into a folder (docs/documents.md).
 */
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';

export interface OcrSettings {
  /** The packages are installed into this folder, so they are in its `node_modules`. */
  readonly folder: string;
  /** These are the names of Tesseract for the languages, such as `eng` and `deu`; the main one comes first. */
  readonly languages: readonly string[];
  /** Further pictures or scanned pages of one file are not recognized. */
  readonly maxPages: number;
}

/** These are the files that the process of documents reads. All paths are real ones. */
export interface OcrSetup {
  /** This is the module of the core. Its WebAssembly lies beside it. */
  readonly core: string;
  readonly languages: readonly { readonly name: string; readonly data: string }[];
  readonly maxPages: number;
}

/** This core needs SIMD, which every Node has that runs Quarry, and holds only the engine of LSTM networks. */
const CORE = ['tesseract.js-core', 'tesseract-core-simd-lstm.js'];
/** A package of a language has its best network with integers, which is as good as the large files and four times smaller. */
const dataOf = (name: string) => [
  '@tesseract.js-data',
  name,
  '4.0.0_best_int',
  `${name}.traineddata.gz`,
];

export interface FoundOcr {
  /** It is null when a package is missing. */
  readonly setup: OcrSetup | null;
  /** This is the npm command that installs what is missing, or null when the core is missing too. */
  readonly missing: string | null;
}

/** Looks for the packages. Without the core, text recognition is not wanted; without a language, the operator is told. */
export async function findOcr({ folder, languages, maxPages }: OcrSettings): Promise<FoundOcr> {
  const find = (parts: readonly string[]) => existing(join(folder, 'node_modules', ...parts));
  const core = await find(CORE);
  if (core === null) return { setup: null, missing: null };
  const found = await Promise.all(
    languages.map(async (name) => ({ name, data: await find(dataOf(name)) })),
  );
  const complete = found.flatMap(({ name, data }) => (data === null ? [] : [{ name, data }]));
  if (complete.length < found.length) {
    const missing = found.filter(({ data }) => data === null);
    return { setup: null, missing: installCommand(folder, missing) };
  }
  return { setup: { core, languages: complete, maxPages }, missing: null };
}

const installCommand = (folder: string, languages: readonly { readonly name: string }[]) =>
  `npm install --prefix ${folder} ${languages.map(({ name }) => `@tesseract.js-data/${name}`).join(' ')}`;

async function existing(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
