/**
 * Finds the definitions of a source file with Universal Ctags, a program that shares no code with the rules and the
 * grammars that the bench compares.
 */
import { execFileSync } from 'node:child_process';
import { z } from 'zod';

export interface Definition {
  readonly name: string;
  /** This is the name of what encloses it, such as a class; empty at the top level. */
  readonly scope: string;
  /** It has the parameters of a function; empty for anything else. */
  readonly signature: string;
  /** The first line with the name, and the last line, counted from 1. */
  readonly line: number;
  readonly end: number;
}

/** These kinds of tags are definitions with a body, in the words of ctags. */
const KINDS = new Set(
  (
    'function func method member class struct interface enum trait generator getter setter ' +
    'singletonMethod module subroutine union object property'
  ).split(' '),
);
/** In these languages ctags calls a field a member, and a short accessor a property. */
const FIELDS = new Set(['C', 'C++', 'Go', 'C#']);

const Tag = z.object({
  name: z.string(),
  line: z.number(),
  kind: z.string(),
  language: z.string(),
  end: z.number().optional(),
  scope: z.string().optional(),
  signature: z.string().optional(),
});

/** Returns the definitions in the order of their lines. The shortest has three lines. */
export function definitionsOf(path: string, lines: readonly string[]): Definition[] {
  const output = execFileSync(
    'ctags',
    ['--output-format=json', '--fields=+neKsSl', '--sort=no', '-o', '-', path],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 2 ** 26 },
  );
  const definitions = output
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => {
      const tag = Tag.safeParse(JSON.parse(line)).data;
      if (!tag || !KINDS.has(tag.kind)) return [];
      if (FIELDS.has(tag.language) && /^(?:member|property)$/.test(tag.kind)) return [];
      return [
        {
          name: tag.name,
          scope: tag.scope?.split(/::|\.|\\/).at(-1) ?? '',
          signature: tag.signature ?? '',
          line: tag.line,
          end: tag.end ?? endByIndentation(lines, tag.line),
        },
      ];
    });
  return definitions
    .filter(
      ({ name, line, end }) => end - line >= 2 && /^[A-Za-z_$]/.test(name) && !/^__anon/.test(name),
    )
    .toSorted((a, b) => a.line - b.line);
}

/** Some parsers of ctags do not say where a definition ends. It ends before the next line without more indentation. */
function endByIndentation(lines: readonly string[], line: number): number {
  const own = columnsOf(lines[line - 1]!);
  let end = line;
  for (let next = line + 1; next <= lines.length; next++) {
    const text = lines[next - 1]!;
    if (text.trim() === '') continue;
    const isCloser = /^\s*(?:[)}\]]|end\b|where\b|\{)/.test(text);
    if (columnsOf(text) <= own && !isCloser) break;
    end = next;
    if (columnsOf(text) <= own && /^\s*(?:\}|end\b)/.test(text)) break;
  }
  return end;
}

export const columnsOf = (line: string): number =>
  /^\s*/.exec(line)![0].replaceAll('\t', '    ').length;
