/** Turns a notebook of Jupyter into Markdown: its text, its code, and the beginning of what the code has printed. */
import { SourceError } from '../../errors.ts';
import { inOneLine } from '../../util.ts';
import type { Convert } from '../convert.ts';
import { MAX_CHARACTERS } from '../kinds.ts';
import { fenced } from '../markdown-writer.ts';
import { type NotebookCell, notebookOf } from '../notebook/cells.ts';
import { withClosedFence } from '../notebook/fences.ts';
import { outputToMarkdown } from '../notebook/outputs.ts';
import { cleanText, decodeText } from '../plain.ts';

/** Pictures may be inside of a text as the bytes of a link. */
const PICTURE = /\bdata:[\w/+.-]{1,100};base64,[\w+/=]*/g;
const FIRST_LEVEL = /^# +\S/m;

export const convert: Convert = async (bytes, { name }) => {
  const notebook = notebookOf(decodeText(bytes) ?? '');
  if (!notebook) throw brokenNotebook();
  const { cells, author, language } = notebook;
  const title = notebook.title ?? name.replace(/\.ipynb$/i, '');
  const hasTitle = cells.some(
    ({ type, source, level }) =>
      (type === 'markdown' && FIRST_LEVEL.test(source)) || (type === 'heading' && level === 1),
  );
  const blocks = hasTitle || title === '' ? [] : [`# ${inOneLine(cleanText(title))}`];
  let characters = 0;
  for (const cell of cells)
    for (const block of blocksOf(cell, language)) {
      if (block.trim() === '') continue;
      blocks.push(block);
      characters += block.length;
      // A file with more text than the limit is left out anyway.
      if (characters > MAX_CHARACTERS) return { text: blocks.join('\n\n') };
    }
  if (characters === 0)
    return { reason: 'without text that can be read', detail: 'the notebook is empty' };
  return {
    text: blocks.join('\n\n'),
    about: {
      ...(notebook.title !== undefined && { title: notebook.title }),
      ...(author !== undefined && { author }),
    },
  };
};

function* blocksOf(cell: NotebookCell, language: string): Generator<string> {
  const source = cleanText(cell.source).replaceAll(PICTURE, '').trimEnd();
  if (cell.type === 'heading') yield `${'#'.repeat(cell.level)} ${inOneLine(source)}`;
  else if (cell.type === 'markdown') yield withClosedFence(source);
  else if (source !== '')
    yield fenced(source, cell.type === 'raw' ? '' : (cell.language ?? language));
  for (const output of cell.outputs) yield withClosedFence(outputToMarkdown(output));
}

const brokenNotebook = () =>
  new SourceError('skip', 'the file is broken or is not a notebook of Jupyter', {
    hint: 'Open it in Jupyter and save it again.',
  });
