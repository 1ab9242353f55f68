/** Reads the comments on the cells of a sheet of an XLSX: notes (ECMA-376 part 1, 18.7) and threads of comments ([MS-XLSX] 2.4.839). */

import type { TextBudget } from '../../budget.ts';
import { commentLine } from '../comments.ts';
import { type OfficePackage, type PartRelation, partOf } from '../package.ts';
import { attribute } from '../xml.ts';
import { textOf } from './text-of.ts';

/** A thread also has a note, which tells users of old programs that they do not see it. Its author names the thread. */
const THREAD = /^tc=(\{[\dA-F-]{1,50}\})$/i;

interface SheetComment {
  readonly cell: string;
  readonly author: string;
  readonly text: string;
}

/** Returns one line for each comment. */
export function readSheetComments(
  document: OfficePackage,
  relations: readonly PartRelation[],
  {
    persons,
    budget,
  }: { readonly persons: ReadonlyMap<string, string>; readonly budget: TextBudget },
): string[] {
  const threads = readThreads(document, partOf(relations, 'threadedComment'), budget);
  const ids = new Set(threads.map(({ id }) => id));
  const notes = readNotes(document, partOf(relations, 'comments'), budget).filter(
    ({ author }) => !ids.has(THREAD.exec(author)?.[1] ?? ''),
  );
  const signed = [
    ...notes.map((note) => ({ ...note, author: THREAD.test(note.author) ? '' : note.author })),
    ...threads.map((comment) => ({ ...comment, author: persons.get(comment.author) ?? '' })),
  ];
  return signed.map((comment) => commentLine(comment, ` on ${comment.cell.slice(0, 10)}`));
}

function readNotes(
  document: OfficePackage,
  path: string | undefined,
  budget: TextBudget,
): SheetComment[] {
  const authors: string[] = [];
  const found: SheetComment[] = [];
  let text = '';
  let inText = false;
  const collect = () => {
    inText = false;
  };
  document.read(path, {
    open(name, attributes) {
      switch (name) {
        case 'author':
          text = '';
          inText = true;
          return () => {
            inText = false;
            authors.push(text.trim().slice(0, 200));
          };
        case 'comment':
          text = '';
          return () => {
            const author = authors[Number(attribute(attributes, 'authorId'))] ?? '';
            budget.left -= text.length;
            const own = textOf(text).trim();
            // Excel begins a note with the name of its author.
            const withoutAuthor = own.startsWith(`${author}:`) ? own.slice(author.length + 1) : own;
            found.push({ cell: attribute(attributes, 'ref') ?? '', author, text: withoutAuthor });
          };
        case 't':
          inText = true;
          return collect;
        default:
          return name === 'rPh' || name === 'Fallback' ? 'skip' : undefined;
      }
    },
    text(data) {
      if (inText) text += data;
    },
    isDone: () => budget.left < 0,
  });
  return found;
}

interface ThreadedComment extends SheetComment {
  readonly id: string;
}

/** In a thread, the author is the id of a person. */
function readThreads(
  document: OfficePackage,
  path: string | undefined,
  budget: TextBudget,
): ThreadedComment[] {
  const found: ThreadedComment[] = [];
  let text = '';
  let inText = false;
  document.read(path, {
    open(name, attributes) {
      if (name === 'text') {
        text = '';
        inText = true;
        return () => {
          inText = false;
        };
      }
      if (name !== 'threadedComment') return undefined;
      text = '';
      return () => {
        budget.left -= text.length;
        const author = attribute(attributes, 'personId') ?? '';
        const id = attribute(attributes, 'id') ?? '';
        found.push({ id, cell: attribute(attributes, 'ref') ?? '', author, text });
      };
    },
    text(data) {
      if (inText) text += data;
    },
    isDone: () => budget.left < 0,
  });
  return found;
}
