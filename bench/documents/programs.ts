/** Runs the programs of the operating system that make documents. */
import { execFile } from 'node:child_process';
import { accessSync, constants, mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

export const run = promisify(execFile);

const PACKAGES = {
  pandoc: 'pandoc',
  soffice: 'libreoffice-writer libreoffice-calc libreoffice-impress',
  pdftotext: 'poppler-utils',
  zip: 'zip',
};
/** LibreOffice has to be told that a CSV file is in UTF-8 (76), with commas (44) and quotes (34). */
const CSV_FILTER = '--infilter=CSV:44,34,76,1';
const MAX_OUTPUT = 1e9;

/** Throws an error that names the packages of Debian that are missing. */
export function requirePrograms(): void {
  const missing = Object.entries(PACKAGES).filter(([name]) => !isInstalled(name));
  if (missing.length === 0) return;
  const names = missing.map(([name]) => name).join(', ');
  const packages = missing.map(([, list]) => list).join(' ');
  throw new Error(`${names} cannot be found: install with apt-get install ${packages}`);
}

function isInstalled(name: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Makes the document `to`, whose extension says its kind, of the Markdown file `from`. */
export async function pandoc(from: string, to: string): Promise<void> {
  await run('pandoc', ['--from=markdown-smart', '--standalone', '--slide-level=2', from, '-o', to]);
}

/** Returns what pandoc understands of a document of this format, which is the path of a file or a text. */
export async function pandocJson(
  format: string,
  document: { readonly path: string } | { readonly text: string },
): Promise<unknown> {
  const files = 'path' in document ? [document.path] : [];
  const running = run('pandoc', [`--from=${format}`, '--to=json', ...files], {
    maxBuffer: MAX_OUTPUT,
  });
  running.child.stdin?.end('text' in document ? document.text : '');
  return JSON.parse((await running).stdout);
}

/** Converts files into this folder, where each keeps its name and gets the extension of the kind. */
export async function libreOffice(
  files: readonly string[],
  kind: string,
  folder: string,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  // With a profile of its own, it runs beside another LibreOffice of the user.
  const profile = `-env:UserInstallation=file://${join(folder, '../profile')}`;
  const filter = files[0]?.endsWith('.csv') ? [CSV_FILTER] : [];
  const convert = ['--headless', ...filter, '--convert-to', kind, '--outdir', folder];
  await run('soffice', [profile, ...convert, ...files], { maxBuffer: MAX_OUTPUT });
}
