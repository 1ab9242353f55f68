/**
 * Decides which files are taken: all files that `include` names (all files without it), except those that `exclude`
 * and the .gitignore files leave out, and except those that are left out by default (left-out.ts) unless `include`
 * spells them (opt-in.ts). Patterns are read as Git reads a .gitignore: the last pattern that matches decides, a
 * deeper file is later than a higher one, and nothing below a folder that is left out can come back.
 *
 * People know what they leave out by their own patterns, so only what is left out by default is listed for them.
 */
import ignore, { type Ignore } from 'ignore';
import { SourceError } from '../../errors.ts';
import { fileReason, folderReason, secretPlace } from './by-name.ts';
import type { Reason } from './left-out.ts';
import { createInclude, type Include, type OptIn } from './opt-in.ts';

/** Each `**` of a pattern multiplies the ways in which it may match by the depth of the path. */
export const MOST_GLOBSTARS = 3;

export const isTooAmbiguous = (pattern: string): boolean =>
  pattern.replaceAll(/(?:\*{2,}\/)+/g, '**/').split('**/').length - 1 > MOST_GLOBSTARS;

export interface Patterns {
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
}

/** The verdict says why something is left out by default, and how to take it in. */
export interface ByDefault extends Reason {
  readonly hint: string;
}

/** A file is `unwanted` when people have left it out by their own patterns. */
export type FileVerdict = 'taken' | 'unwanted' | ByDefault;

export interface FolderVerdict {
  /** These rules hold around the folder when it is entered; they are null when it is not entered. */
  readonly rules: Rules | null;
  /**
   * The omission is also present for a folder that is entered only for the few things in it that `include` spells.
   */
  readonly omission: ByDefault | null;
}

/** Paths are relative to the root of the source, with `/`. */
export interface Rules {
  file(path: string): FileVerdict;
  /** `evidence` says why things beside the folder or in it make it left out, whatever its name is. */
  folder(path: string, evidence: Reason | null): FolderVerdict;
  /** Tells whether `include` asks for exactly this file. */
  spells(path: string): boolean;
  /**
   * Returns the rules inside a folder with this .gitignore. Throws a SourceError 'skip' for a
   * pattern that takes too long to match.
   */
  inside(folder: string, gitignore: string | null): Rules;
  /** Returns the rules for targets of links, which `include` does not have to name. */
  ofTargets(): Rules;
}

/** `root` is the real path of the folder: a root that lies among secrets holds nothing but secrets. */
export function createRules({ include = [], exclude = [] }: Patterns, root = ''): Rules {
  const about = {
    include: createInclude(include),
    hasInclude: include.length > 0,
    place: secretPlace(root),
  };
  return rules(about, {
    included: include.length === 0 ? null : matcher(include),
    excluded: matcher(exclude),
    ignored: matcher([]),
    onlyIn: null,
  });
}

interface RuleContext {
  readonly include: Include;
  readonly hasInclude: boolean;
  readonly place: Reason | null;
}

interface State {
  /** The matcher is null when everything is included. */
  readonly included: Ignore | null;
  readonly excluded: Ignore;
  readonly ignored: Ignore;
  /** Inside a folder that is left out by default, only the things that this names are taken. */
  readonly onlyIn: OptIn | null;
}

function rules(about: RuleContext, state: State): Rules {
  const { include } = about;
  const { included, excluded, ignored, onlyIn } = state;
  const all: Rules = {
    file(path) {
      if (excluded.ignores(path) || included?.ignores(path) === false) return 'unwanted';
      if (onlyIn && !onlyIn.matches(path)) return 'unwanted';
      const reason = about.place ?? fileReason(path);
      const isIgnored = ignored.ignores(path);
      if (reason && !all.spells(path)) return toOmission(reason, path, isIgnored);
      return isIgnored ? 'unwanted' : 'taken';
    },

    folder(path, evidence) {
      const withSlash = `${path}/`;
      const isAsked = included === null || include.reaches(path);
      const isWay = !onlyIn || onlyIn.matches(withSlash) || onlyIn.leadsThrough(path);
      if (excluded.ignores(withSlash) || !isAsked || !isWay) return NOTHING;
      const isIgnored = ignored.ignores(withSlash);
      const reason = evidence ?? about.place ?? folderReason(path);
      const optIn = reason && include.spelling(nameOf(path));
      const isWhole = !reason || optIn?.matches(withSlash) === true;
      const omission = reason && !isWhole ? toOmission(reason, withSlash, isIgnored) : null;
      if (isIgnored) return { rules: null, omission };
      if (isWhole) return { rules: all, omission };
      const isPart = optIn?.leadsThrough(path) === true;
      return { rules: isPart ? rules(about, { ...state, onlyIn: optIn }) : null, omission };
    },

    spells(path) {
      const optIn = include.spelling(nameOf(path));
      const folder = path.slice(0, path.lastIndexOf('/') + 1);
      // A pattern that names the folder asks for the contents of the folder, but not for the secrets among them.
      return optIn?.matches(path) === true && (folder === '' || !optIn.matches(folder));
    },

    // The matchers are new, because each remembers every path that it was asked about.
    inside: (folder, gitignore) =>
      rules(about, {
        included: included && matcher([included]),
        excluded: matcher([excluded]),
        ignored: matcher([ignored, ...patternsOf(gitignore ?? '', folder)]),
        onlyIn,
      }),

    ofTargets: () => rules(about, { ...state, included: null }),
  };
  return all;

  function toOmission({ reason, detail }: Reason, path: string, isIgnored: boolean): ByDefault {
    const pattern = JSON.stringify(`/${escaped(path)}`);
    const how = about.hasInclude ? `add ${pattern} to include` : `set include to ["*", ${pattern}]`;
    const hint = isIgnored
      ? 'A .gitignore file leaves it out as well, and include does not change that.'
      : `To take it in, ${how}.`;
    return { reason, detail, hint };
  }
}

const NOTHING: FolderVerdict = { rules: null, omission: null };

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);

const matcher = (patterns: Parameters<Ignore['add']>[0]): Ignore =>
  ignore({ ignorecase: false }).add(patterns);

/** A blank line is not a pattern: tied to a folder, it would name all folders below. */
const BLANK = /^!?\s*$/;

/** Returns the patterns of a .gitignore as the root of the source would have to write them. */
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
  const base = escaped(folder);
  // A slash that is not at the end ties a pattern to its folder.
  if (pattern.trimEnd().slice(0, -1).includes('/'))
    return `${negation}/${base}/${pattern.replace(/^\//, '')}`;
  return `${negation}/${base}/**/${pattern}`;
}

/** Returns the path as a pattern that matches only this path. */
const escaped = (path: string) => path.replaceAll(/[\\*?[\]]| $/g, '\\$&');
