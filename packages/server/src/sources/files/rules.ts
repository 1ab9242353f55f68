/**
 * Decides which files are taken: all that `include` names (without it all), less what `exclude` and the
 * .gitignore files leave out, and less what is left out by default (left-out.ts) unless `include` spells
 * it (opt-in.ts). Patterns are read as Git reads a .gitignore: the last one that matches decides, a deeper
 * file is later than a higher one, and nothing below a folder that is left out can come back.
 *
 * People know what they leave out by patterns of their own; what is left out by default is listed for them.
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

/** It says why something is left out by default, and how to take it in. */
export interface ByDefault extends Reason {
  readonly hint: string;
}

/** A file is `unwanted` when people have left it out by patterns of their own. */
export type FileVerdict = 'taken' | 'unwanted' | ByDefault;

export interface FolderVerdict {
  /** The rules that hold around the folder when it is entered; null when it is not. */
  readonly rules: Rules | null;
  /** It is also present for a folder that is entered for the few things in it that `include` spells. */
  readonly omission: ByDefault | null;
}

/** Paths are relative to the root of the source, with `/`. */
export interface Rules {
  file(path: string): FileVerdict;
  /** `evidence` says why the folder is left out by what stands beside it or in it, whatever its name is. */
  folder(path: string, evidence: Reason | null): FolderVerdict;
  /** Tells whether `include` asks for exactly this file. */
  spells(path: string): boolean;
  /**
   * Gives the rules inside a folder, with the text of its .gitignore. Throws a SourceError 'skip' for a pattern
   * that takes too long to match.
   */
  inside(folder: string, gitignore: string | null): Rules;
  /** Gives the rules for what links lead to, which `include` need not name. */
  ofTargets(): Rules;
}

/** `root` is the real path of the folder: one that lies among secrets holds nothing but secrets. */
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
  /** It is null when everything is included. */
  readonly included: Ignore | null;
  readonly excluded: Ignore;
  readonly ignored: Ignore;
  /** Inside of a folder that is left out by default, only this is taken. */
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
      // A pattern that names the folder asks for what is in it, not for the secrets among that.
      return optIn?.matches(path) === true && (folder === '' || !optIn.matches(folder));
    },

    // New matchers, because each remembers every path that it was asked about.
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
  const base = escaped(folder);
  // A slash that is not at the end ties a pattern to its folder.
  if (pattern.trimEnd().slice(0, -1).includes('/'))
    return `${negation}/${base}/${pattern.replace(/^\//, '')}`;
  return `${negation}/${base}/**/${pattern}`;
}

/** A path as a pattern that matches it alone. */
const escaped = (path: string) => path.replaceAll(/[\\*?[\]]| $/g, '\\$&');
