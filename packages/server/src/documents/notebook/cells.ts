/**
 * Reads the cells of a notebook of Jupyter, format 3 and 4 (https://nbformat.readthedocs.io). Everything in the file may
 * be missing or wrong; a cell that is not understood is left out.
 */
import { z } from 'zod';
import { cleanText } from '../plain.ts';

/** A text is often stored as a list of its lines. */
const Lines = z
  .union([z.string(), z.array(z.string())])
  .transform((text) => (typeof text === 'string' ? text : text.join('')));
const Optional = Lines.optional().catch(undefined);

const Output = z.object({
  output_type: z.string(),
  name: z.string().optional().catch(undefined),
  stream: z.string().optional().catch(undefined),
  text: Optional,
  /** In format 3, the forms of an output are fields of their own. */
  html: Optional,
  data: z
    .object({ 'text/plain': Optional, 'text/html': Optional, 'text/markdown': Optional })
    .optional()
    .catch(undefined),
  ename: z.string().optional().catch(undefined),
  evalue: z.string().optional().catch(undefined),
});
export type NotebookOutput = z.infer<typeof Output>;

const Cell = z.object({
  cell_type: z.enum(['code', 'markdown', 'raw', 'heading']),
  source: Optional,
  /** Format 3 calls the source of a code cell its input. */
  input: Optional,
  level: z.int().min(1).max(6).optional().catch(undefined),
  language: z.string().optional().catch(undefined),
  outputs: z.array(z.unknown()).optional().catch(undefined),
});
export interface NotebookCell {
  readonly type: 'code' | 'markdown' | 'raw' | 'heading';
  readonly source: string;
  readonly level: number;
  readonly language: string | undefined;
  readonly outputs: readonly NotebookOutput[];
}

const Named = z
  .object({ name: z.string().optional().catch(undefined) })
  .optional()
  .catch(undefined);
const Metadata = z
  .object({
    title: z.string().optional().catch(undefined),
    name: z.string().optional().catch(undefined),
    authors: z.array(Named).optional().catch(undefined),
    kernelspec: z
      .object({ language: z.string().optional().catch(undefined) })
      .optional()
      .catch(undefined),
    language_info: Named,
  })
  .catch({});

const Notebook = z.object({
  cells: z.array(z.unknown()).optional(),
  worksheets: z.array(z.object({ cells: z.array(z.unknown()) })).optional(),
  metadata: Metadata.optional(),
});

export interface NotebookParts {
  readonly cells: readonly NotebookCell[];
  readonly title: string | undefined;
  readonly author: string | undefined;
  /** This is the language of the code cells, in lower case, or an empty text. */
  readonly language: string;
}

/** Returns null for a text that is not a notebook. */
export function notebookOf(text: string): NotebookParts | null {
  const parsed = Notebook.safeParse(jsonOf(text));
  if (!parsed.success) return null;
  const { cells, worksheets, metadata = {} } = parsed.data;
  if (!cells && !worksheets) return null;
  const all = cells ?? worksheets?.flatMap((sheet) => sheet.cells) ?? [];
  return {
    cells: all.flatMap(cellOf),
    title: [metadata.title, metadata.name].map(cleanName).find((name) => name !== ''),
    author: metadata.authors?.map((one) => cleanName(one?.name)).find((name) => name !== ''),
    language: languageName(metadata.kernelspec?.language ?? metadata.language_info?.name),
  };
}

/** JSON may have characters in a name that no database stores. */
const cleanName = (name = ''): string => cleanText(name).trim();

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function cellOf(value: unknown): NotebookCell[] {
  const parsed = Cell.safeParse(value);
  if (!parsed.success) return [];
  const { cell_type: type, source, input, level = 1, language, outputs = [] } = parsed.data;
  return [
    {
      type,
      source: source ?? input ?? '',
      level,
      language: language === undefined ? undefined : languageName(language),
      outputs: outputs.flatMap((one) => Output.safeParse(one).data ?? []),
    },
  ];
}

/** The name stands behind a fence of code, so it must be a single word. */
const languageName = (name = ''): string =>
  /^[\w+#.-]{1,30}$/.test(name) ? name.toLowerCase() : '';
