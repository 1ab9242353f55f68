/**
 * Decides which files are read. These are the files that `include` names, or all files when `include` is empty. Files
 * that `exclude` or a .gitignore names are left out. Files that are left out by default (left-out.ts) are read only
 * when `include` spells them (opt-in.ts). Patterns mean the same as in a .gitignore of Git: the last pattern that
 * matches decides, the patterns of a deeper folder come later, and nothing below a folder that is left out can be
 * included again.
 *
 * Only files that are left out by default are reported as skipped, because users know their own patterns.
 */
import ignore, { type Ignore } from 'ignore';
import { fileReason, folderReason, secretFolderReason } from '../../documents/left-out/by-name.ts';
import type { Reason } from '../../documents/left-out/left-out.ts';
import { SourceError } from '../../errors.ts';
import { createInclude, type Include, type OptIn } from './opt-in.ts';

/** The number is limited because each `**` of a pattern multiplies the time of a match by the depth of the path. */
export const MAX_GLOBSTARS = 3;

export const isTooAmbiguous = (pattern: string): boolean =>
  pattern.replaceAll(/(?:\*{2,}\/)+/g, '**/').split('**/').length - 1 > MAX_GLOBSTARS;

export interface Patterns {
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
}

/** This says why something is left out by default, and how a user can include it. */
export interface DefaultOmission extends Reason {
  readonly hint: string;
}

/** A file is `unwanted` when the user's own patterns leave it out. */
export type FileVerdict = 'taken' | 'unwanted' | DefaultOmission;

export interface FolderVerdict {
  /** These rules apply inside the folder; null means that the folder is not entered. */
  readonly rules: Rules | null;
  /**
   * This says why the folder is left out. It is also set when the folder is entered only for the files in it that
   * `include` spells.
   */
  readonly omission: DefaultOmission | null;
}

/** Paths are relative to the root of the source, with `/`. */
export interface Rules {
  file(path: string): FileVerdict;
  /**
   * Decides about a folder. `evidence` is a reason to leave it out that comes from files beside it or in it, or null.
   */
  folder(path: string, evidence: Reason | null): FolderVerdict;
  /** Returns true when `include` spells exactly this file. */
  spells(path: string): boolean;
  /**
   * Returns the rules inside a folder with this .gitignore. Throws a SourceError 'skip' for a
   * pattern that takes too long to match.
   */
  inside(folder: string, gitignore: string | null): Rules;
  /**
   * Returns the rules for the targets of links. `include` does not have to name the target, because it names the link.
   */
  ofTargets(): Rules;
}

/**
 * `root` is the real path of the root. If the root lies in a folder of secrets, everything in it counts as a secret.
 */
export function createRules({ include = [], exclude = [] }: Patterns, root = ''): Rules {
  const context = {
    include: createInclude(include),
    hasInclude: include.length > 0,
    secretFolder: secretFolderReason(root),
  };
  return rules(context, {
    included: include.length === 0 ? null : matcher(include),
    excluded: matcher(exclude),
    ignored: matcher([]),
    onlyWithin: null,
  });
}

interface RuleContext {
  readonly include: Include;
  readonly hasInclude: boolean;
  readonly secretFolder: Reason | null;
}

interface State {
  /** This is null when everything is included. */
  readonly included: Ignore | null;
  readonly excluded: Ignore;
  readonly ignored: Ignore;
  /** Inside a folder that is left out by default, only files that this opt-in names are read. */
  readonly onlyWithin: OptIn | null;
}

function rules(context: RuleContext, state: State): Rules {
  const { include } = context;
  const { included, excluded, ignored, onlyWithin } = state;
  const ownRules: Rules = {
    file(path) {
      if (excluded.ignores(path) || included?.ignores(path) === false) return 'unwanted';
      if (onlyWithin && !onlyWithin.matches(path)) return 'unwanted';
      const reason = context.secretFolder ?? fileReason(path);
      const isIgnored = ignored.ignores(path);
      if (reason && !ownRules.spells(path)) return toOmission(reason, path, isIgnored);
      return isIgnored ? 'unwanted' : 'taken';
    },

    folder(path, evidence) {
      const withSlash = `${path}/`;
      const isReached =
        (included === null || include.reaches(path)) &&
        (!onlyWithin || onlyWithin.matches(withSlash) || onlyWithin.leadsThrough(path));
      if (excluded.ignores(withSlash) || !isReached) return NOT_ENTERED;
      const isIgnored = ignored.ignores(withSlash);
      const reason = evidence ?? context.secretFolder ?? folderReason(path);
      const optIn = reason && include.spelling(nameOf(path));
      const isTakenWhole = !reason || optIn?.matches(withSlash) === true;
      const omission = reason && !isTakenWhole ? toOmission(reason, withSlash, isIgnored) : null;
      if (isIgnored) return { rules: null, omission };
      if (isTakenWhole) return { rules: ownRules, omission };
      const isTakenInPart = optIn?.leadsThrough(path) === true;
      return {
        rules: isTakenInPart ? rules(context, { ...state, onlyWithin: optIn }) : null,
        omission,
      };
    },

    spells(path) {
      const optIn = include.spelling(nameOf(path));
      const folder = path.slice(0, path.lastIndexOf('/') + 1);
      // A pattern that names the folder includes the contents of the folder, but not the secrets among them.
      return optIn?.matches(path) === true && (folder === '' || !optIn.matches(folder));
    },

    // New matchers are made here, because a matcher caches every path that it has checked and would grow with the tree.
    inside: (folder, gitignore) =>
      rules(context, {
        included: included && matcher([included]),
        excluded: matcher([excluded]),
        ignored: matcher([ignored, ...patternsOf(gitignore ?? '', folder)]),
        onlyWithin,
      }),

    ofTargets: () => rules(context, { ...state, included: null }),
  };
  return ownRules;

  function toOmission(
    { reason, detail }: Reason,
    path: string,
    isIgnored: boolean,
  ): DefaultOmission {
    const pattern = JSON.stringify(`/${escaped(path)}`);
    const how = context.hasInclude
      ? `add ${pattern} to include`
      : `set include to ["*", ${pattern}]`;
    const hint = isIgnored
      ? 'A .gitignore file leaves it out as well, and include does not change that.'
      : `To take it in, ${how}.`;
    return { reason, detail, hint };
  }
}

const NOT_ENTERED: FolderVerdict = { rules: null, omission: null };

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);

const matcher = (patterns: Parameters<Ignore['add']>[0]): Ignore =>
  ignore({ ignorecase: false }).add(patterns);

/** A blank line is not a pattern. With a folder in front, it would become a pattern that matches all folders below. */
const BLANK = /^!?\s*$/;

/** Rewrites the patterns of a .gitignore in a folder as patterns relative to the root. */
function patternsOf(gitignore: string, folder: string) {
  const lines = gitignore
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .filter((line) => !BLANK.test(line) && !line.startsWith('#'));
  if (lines.some(isTooAmbiguous))
    throw new SourceError('skip', 'the folder cannot be read: its .gitignore is too ambiguous', {
      hint: `A pattern has at most ${MAX_GLOBSTARS} times **.`,
    });
  return lines.map((line) => ({ pattern: folder === '' ? line : rebased(line, folder) }));
}

function rebased(line: string, folder: string): string {
  const negation = line.startsWith('!') ? '!' : '';
  const pattern = line.slice(negation.length);
  const base = escaped(folder);
  // In Git, a pattern with a slash that is not at its end is relative to its folder.
  if (pattern.trimEnd().slice(0, -1).includes('/'))
    return `${negation}/${base}/${pattern.replace(/^\//, '')}`;
  return `${negation}/${base}/**/${pattern}`;
}

/** Returns the path as a pattern that matches only this path. */
const escaped = (path: string) => path.replaceAll(/[\\*?[\]]| $/g, '\\$&');
