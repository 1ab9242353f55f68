/**
 * Which files are taken: all that `include` names (without it all), less what `exclude` and the
 * .gitignore files leave out. All three are read as Git reads a .gitignore: the last pattern that
 * matches decides, a deeper file is later than a higher one, and nothing below a folder that is left
 * out can come back.
 */
import ignore, { type Ignore } from 'ignore';
import { SourceError } from '../../errors.ts';

/** Each `**` of a pattern multiplies the ways in which it may match by the depth of the path. */
export const MOST_GLOBSTARS = 3;

export const isTooAmbiguous = (pattern: string): boolean =>
  pattern.replaceAll(/(?:\*{2,}\/)+/g, '**/').split('**/').length - 1 > MOST_GLOBSTARS;

export interface Patterns {
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
}

/** Paths are relative to the root of the source, with `/`. */
export interface Rules {
  takesFolder(path: string): boolean;
  takesFile(path: string): boolean;
  /** Of a file: whether it is left out, whatever `include` names. */
  leavesOut(path: string): boolean;
  /**
   * The rules inside a folder, with the text of its .gitignore. Throws a SourceError 'skip' for a pattern
   * that takes too long to match.
   */
  inside(folder: string, gitignore: string | null): Rules;
}

export const createRules = ({ include = [], exclude = [] }: Patterns): Rules =>
  rules(include.length === 0 ? null : matcher(include), matcher(exclude), matcher([]));

function rules(included: Ignore | null, excluded: Ignore, ignored: Ignore): Rules {
  const leavesOut = (path: string) =>
    isGitFolder(path) || excluded.ignores(path) || ignored.ignores(path);
  return {
    takesFolder: (path) => !leavesOut(`${path}/`),
    takesFile: (path) => !leavesOut(path) && (included === null || included.ignores(path)),
    leavesOut,
    // New matchers, because each remembers every path that it was asked about.
    inside: (folder, gitignore) =>
      rules(
        included && matcher([included]),
        matcher([excluded]),
        matcher([ignored, ...patternsOf(gitignore ?? '', folder)]),
      ),
  };
}

const matcher = (patterns: Parameters<Ignore['add']>[0]): Ignore =>
  ignore({ ignorecase: false }).add(patterns);

const isGitFolder = (path: string) => /(?:^|\/)\.git(?:\/|$)/.test(path);

/** No pattern: tied to a folder it would name all folders below. */
const BLANK = /^!?\s*$/;

/** The patterns of a .gitignore, as the root of the source would have to write them. */
function patternsOf(gitignore: string, folder: string) {
  const lines = gitignore
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .filter((line) => !BLANK.test(line) && !line.startsWith('#'));
  if (lines.some(isTooAmbiguous))
    throw new SourceError('skip', 'the folder cannot be read: its .gitignore is too ambiguous', {
      hint: `A pattern has at most ${MOST_GLOBSTARS} times **.`,
    });
  return lines.map((line) => ({ pattern: folder === '' ? line : rebased(line, folder) }));
}

function rebased(line: string, folder: string): string {
  const negation = line.startsWith('!') ? '!' : '';
  const pattern = line.slice(negation.length);
  const base = folder.replaceAll(/[\\*?[\]]/g, '\\$&');
  // A slash that is not at the end ties a pattern to its folder.
  if (pattern.trimEnd().slice(0, -1).includes('/'))
    return `${negation}/${base}/${pattern.replace(/^\//, '')}`;
  return `${negation}/${base}/**/${pattern}`;
}
