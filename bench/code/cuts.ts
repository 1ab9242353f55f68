/** Makes atoms of program text as documents/split/code.ts does, but cuts before the members of a class cost less. */
import { type AtomBuilder, CUT } from '../../packages/server/src/documents/split/atoms.ts';
import type { Definition } from '../../packages/server/src/documents/split/definitions.ts';
import { indentation, linesOf } from '../../packages/server/src/documents/split/lines.ts';
import { record } from '../../packages/server/src/documents/split/prose.ts';

const BLANK = 5;
const INDENTED = 0.5;
const INSIDE = 10;
/** A cut before a member costs this for each class around it. Of 0.3, 1, 2, 3 and 5 this was the best on `tune`. */
const MEMBER = 5;
const CLOSER = /^(?:[)}\]]|end\b)/;
/** The parts of such a definition are definitions, too. */
const CONTAINER =
  /^[ \t]*(?:[\w()"@]+[ \t]+)*(?:class|interface|struct|enum|union|trait|impl|module|mod|namespace|object|record|defmodule)\b/m;

export function codeWithCuts(
  text: string,
  definitions: readonly Definition[],
  atoms: AtomBuilder,
): void {
  const members = memberDepths(text, definitions);
  let blankBefore = false;
  let closedBefore = false;
  for (const line of linesOf(text, 0, text.length)) {
    const { columns, first } = indentation(text, line);
    if (first === line.end) {
      blankBefore = true;
      continue;
    }
    const closer = CLOSER.test(text.slice(first, first + 4));
    const depth = members.get(line.start);
    if (depth !== undefined) atoms.boundary(CUT.definition + MEMBER * depth);
    else if (closer) atoms.boundary(INSIDE);
    else if (columns === 0 && (blankBefore || closedBefore)) atoms.boundary(CUT.definition);
    else atoms.boundary(blankBefore ? Math.min(BLANK + INDENTED * columns, INSIDE) : INSIDE);
    record(text, line.next, atoms);
    blankBefore = false;
    closedBefore = closer && columns === 0;
  }
  atoms.add(text.length, CUT.line);
}

/** Returns the number of classes around each definition, by the offset where it begins, unless it is within a function. */
function memberDepths(text: string, definitions: readonly Definition[]): Map<number, number> {
  const depths = new Map<number, number>();
  const open: { readonly end: number; readonly isContainer: boolean }[] = [];
  for (const definition of definitions) {
    while (open.length > 0 && open.at(-1)!.end <= definition.start) open.pop();
    if (open.every((one) => one.isContainer) && !depths.has(definition.start))
      depths.set(definition.start, open.length);
    open.push({ end: definition.end, isContainer: isContainer(text, definition) });
  }
  return depths;
}

/** Looks at the line that has the title, because comments may stand above it. */
function isContainer(text: string, { start, title }: Definition): boolean {
  const at = text.indexOf(title, start);
  return CONTAINER.test(text.slice(text.lastIndexOf('\n', at) + 1, at));
}
