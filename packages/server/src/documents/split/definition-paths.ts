/**
 * Says what a piece of program text is about: the definitions in which it lies, from the outermost to the innermost,
 * and then those that begin in it, as in `Router > addRoute, removeRoute`.
 */
import type { Definition } from './definitions.ts';
import { LONGEST_PATH } from './headings.ts';

const BETWEEN = ' > ';

/** Returns a function that returns the path of a piece. The caller must ask for pieces in ascending order. */
export function createDefinitionPaths(definitions: readonly Definition[]) {
  const open: Definition[] = [];
  let next = 0;
  const leave = (offset: number) => {
    while (open.length > 0 && open.at(-1)!.end <= offset) open.pop();
  };
  return (start: number, end: number): string | null => {
    for (; next < definitions.length && definitions[next]!.start < start; next++) {
      leave(definitions[next]!.start);
      open.push(definitions[next]!);
    }
    leave(start);
    const around = innermost(open);
    const path = around.join(BETWEEN);
    const within = titlesFrom(definitions, next, {
      end,
      known: new Set(around),
      room: LONGEST_PATH - path.length - BETWEEN.length,
    });
    const parts = [path, within].filter((part) => part !== '');
    return parts.length === 0 ? null : parts.join(BETWEEN);
  };
}

/** Returns the titles of the innermost definitions, as many as there is room for, the outermost first. */
function innermost(open: readonly Definition[]): readonly string[] {
  const titles: string[] = [];
  let room = LONGEST_PATH;
  for (let i = open.length - 1; i >= 0; i--) {
    const { title } = open[i]!;
    room -= title.length + (titles.length === 0 ? 0 : BETWEEN.length);
    if (room < 0) break;
    titles.push(title);
  }
  return titles.reverse();
}

interface Limits {
  readonly end: number;
  readonly known: ReadonlySet<string>;
  readonly room: number;
}

/** Returns the titles of the definitions that begin before `end`, each once, as many as there is room for. */
function titlesFrom(
  definitions: readonly Definition[],
  first: number,
  { end, known, room }: Limits,
): string {
  const titles = new Set<string>();
  let length = 0;
  for (let i = first; i < definitions.length && definitions[i]!.start < end; i++) {
    const { title } = definitions[i]!;
    if (known.has(title) || titles.has(title)) continue;
    length += title.length + 2;
    if (length > room) break;
    titles.add(title);
  }
  return [...titles].join(', ');
}
