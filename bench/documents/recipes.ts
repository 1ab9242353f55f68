/** Says which program makes a document of which kind from what. */
import type { Shape } from './source.ts';

type From = 'docx' | 'odt' | 'pptx' | 'csv' | 'fods';

export interface Recipe {
  /** This is the extension of the document, and the name of its kind in the tables. */
  readonly kind: string;
  readonly shape: Shape;
  readonly by: 'pandoc' | 'LibreOffice';
  /** LibreOffice converts a document with this extension, which pandoc has made, a CSV file or a flat spreadsheet. */
  readonly from?: From;
  /** Pandoc writes no title into a few formats. */
  readonly hasTitle?: false;
  readonly documents: number;
}

export const byPandoc = (kind: string, documents: number, shape: Shape = 'text'): Recipe => ({
  ...{ kind, shape, by: 'pandoc', documents },
});

const SHAPES = {
  ...{ csv: 'sheet', fods: 'sheet', pptx: 'slides', docx: 'text', odt: 'text' },
} as const satisfies Record<From, Shape>;

export const byLibreOffice = (kind: string, from: From, documents: number): Recipe => ({
  ...{ kind, shape: SHAPES[from], by: 'LibreOffice', from, documents },
});

/** These make four documents of each kind. */
export const RECIPES: readonly Recipe[] = [
  byPandoc('docx', 2),
  byLibreOffice('docx', 'odt', 2),
  byPandoc('odt', 2),
  byLibreOffice('odt', 'docx', 2),
  byPandoc('rtf', 2),
  byLibreOffice('rtf', 'docx', 2),
  byLibreOffice('doc', 'docx', 2),
  byLibreOffice('doc', 'odt', 2),
  byLibreOffice('pdf', 'docx', 2),
  byLibreOffice('pdf', 'odt', 2),
  byPandoc('epub', 4),
  byPandoc('html', 2),
  byLibreOffice('html', 'odt', 2),
  byPandoc('fb2', 4),
  { ...byPandoc('ipynb', 4), hasTitle: false },
  byPandoc('pptx', 4, 'slides'),
  byLibreOffice('odp', 'pptx', 4),
  byLibreOffice('ppt', 'pptx', 4),
  byLibreOffice('xlsx', 'csv', 4),
  byLibreOffice('ods', 'csv', 4),
  byLibreOffice('xls', 'csv', 4),
];
