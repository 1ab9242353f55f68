/**
 * A file or folder that is left out by default is included when a pattern of `include` spells its name. A pattern
 * spells a name when it contains the whole name (`.env`, `node_modules/left-pad/`, `/notes/build/`) or the part that is
 * in the lists (`*.pem`, `.env*`). A pattern that only matches the name, such as `*`, `*.json` or `docs/`, is not
 * enough.
 */
import ignore, { type Ignore } from 'ignore';
import { fileReason, folderReason } from '../../documents/left-out/by-name.ts';

/** An opt-in is made of the patterns that spell one name. */
export interface OptIn {
  /** Returns true when a pattern matches the path. The path of a folder must end with a slash. */
  matches(path: string): boolean;
  /** Returns true when a pattern names a path below this folder. */
  leadsThrough(folder: string): boolean;
}

/** Answers questions about the patterns of `include`. */
export interface Include {
  /** Returns the patterns that spell the name, or null when no pattern does. */
  spelling(name: string): OptIn | null;
  /** Returns false when no pattern can match anything in this folder. */
  reaches(folder: string): boolean;
}

interface Segment {
  readonly text: string;
  /** This is the segment without escapes, or null for a segment with wildcards. */
  readonly word: string | null;
  /** Returns true when the segment spells the name. `lower` is the name in lower case. */
  readonly spells: (name: string, lower: string) => boolean;
}

interface Pattern {
  readonly text: string;
  /** If true, the pattern is relative to the root. Otherwise it matches at every depth. */
  readonly isAnchored: boolean;
  readonly segments: readonly Segment[];
}

export function createInclude(include: readonly string[]): Include {
  const patterns = include.filter((text) => !/^[!#]/.test(text)).map(parse);
  return {
    spelling(name) {
      const lower = name.toLowerCase();
      const spelling = patterns.flatMap((pattern) => {
        const at = pattern.segments.findIndex(({ spells }) => spells(name, lower));
        return at < 0 ? [] : { pattern, at };
      });
      return spelling.length === 0 ? null : toOptIn(spelling);
    },
    reaches: (folder) =>
      include.length === 0 || patterns.some((pattern) => mayReach(pattern, folder.split('/'))),
  };
}

function parse(text: string): Pattern {
  const body = text.replace(/(?<!\\)\s+$/, '').replace(/\/$/, '');
  const segments = body.replace(/^\//, '').split('/').map(toSegment);
  return { text, isAnchored: body.includes('/'), segments };
}

function toSegment(text: string): Segment {
  if (!/(?<!\\)(?:\\\\)*[*?[]/.test(text)) {
    const word = text.replaceAll(/\\(.)/g, '$1');
    const wanted = word.toLowerCase();
    return { text, word, spells: (_, lower) => lower === wanted };
  }
  const withoutWildcards = text.replaceAll(/\[[^\]]*\]|[*?]/g, '');
  const isInLists =
    fileReason(withoutWildcards) !== null || folderReason(withoutWildcards) !== null;
  const matcher = matcherOf([text]);
  return { text, word: null, spells: (name) => isInLists && matcher.ignores(name) };
}

function toOptIn(spelling: readonly { pattern: Pattern; at: number }[]): OptIn {
  const matcher = matcherOf(spelling.map(({ pattern }) => pattern.text));
  const ways = spelling.flatMap(({ pattern, at }) => foldersAbove(pattern, at));
  return {
    matches: (path) => matcher.ignores(path),
    leadsThrough(folder) {
      const depth = folder.split('/').length;
      return ways.some((way) => (way.depth ?? depth) === depth && way.above.ignores(`${folder}/`));
    },
  };
}

/**
 * Returns the folders that a walk must enter to reach the files that the pattern names. The first folder is the one
 * whose name the segment at `at` spells.
 */
function foldersAbove({ segments }: Pattern, at: number) {
  return segments.slice(at + 1).map((_, i) => {
    const above = segments.slice(0, at + 1 + i).map(({ text }) => text);
    return {
      above: matcherOf([`/${above.join('/')}/`]),
      // A folder behind `**` may be at any depth.
      depth: above.includes('**') ? null : above.length,
    };
  });
}

/** Returns false when the pattern cannot match at or below the folder. May return true where nothing matches. */
function mayReach({ isAnchored, segments }: Pattern, folder: readonly string[]): boolean {
  if (!isAnchored) return true;
  for (const [i, { word }] of segments.slice(0, folder.length).entries()) {
    if (word === null) return true;
    if (word !== folder[i]) return false;
  }
  return true;
}

function matcherOf(patterns: readonly string[]): Ignore {
  return ignore({ ignorecase: false }).add(patterns);
}
