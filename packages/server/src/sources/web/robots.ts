/**
 * Reads robots.txt (RFC 9309). The rules for `quarry` count, and without any, those for all robots.
 *
 * The library `robots-parser` takes seconds of the process for one address when a hostile site writes its rules for it, so
 * the rules are matched here in one pass.
 */
import { createHash } from 'node:crypto';
import type { Send } from '../../net/guarded-send.ts';
import { requestInto } from '../../net/request.ts';
import { matcherOf, normalEscapes } from './address.ts';
import { troubleIn } from './trouble.ts';

export const ROBOT = 'Quarry';
/** RFC 9309, section 2.5, demands that at least 500 KiB are read. */
const MAX_BYTES = 500 * 1024;
/** The time for matching grows with the wildcards. No real file is near these limits; rules beyond them are not read. */
const MAX_WILDCARD_RULES = 500;
const MAX_WILDCARD_RULE = 300;
/** A longer pause than this would let a pull take years. */
const LONGEST_DELAY_S = 60;

export interface Robots {
  allows(address: string): boolean;
  /** The pause between two requests, in milliseconds. */
  readonly delayMs: number;
  /** Changes whenever the rules change. */
  readonly digest: string;
}

export interface RobotsRequest {
  readonly send: Send;
  readonly signal: AbortSignal;
  readonly meter: { requests: number; bytes: number };
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * A file that does not exist (4xx) allows everything. Throws Trouble when the server fails, because then nothing may be
 * read (RFC 9309, section 2.3.1.4), and a RequestFailure when it cannot be asked.
 */
export async function readRobots(origin: string, asked: RobotsRequest): Promise<Robots> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  const { status, headers } = await requestInto(asked.send, new URL('/robots.txt', origin), {
    ...asked,
    body: null,
    deadlineMs: 30_000,
    maxBytes: 10 * MAX_BYTES,
    redirects: 5,
    leavesOrigin: true,
    sink: async (piece) => {
      if (bytes < MAX_BYTES) pieces.push(piece);
      bytes += piece.byteLength;
    },
  });
  const trouble = troubleIn({ status, headers }, `${origin}/robots.txt`);
  if (trouble) throw trouble;
  const text = status < 300 ? Buffer.concat(pieces).subarray(0, MAX_BYTES).toString('utf8') : '';
  return robotsOf(text);
}

interface RobotsRule {
  readonly allows: boolean;
  readonly length: number;
  readonly matches: (path: string) => boolean;
}

interface Group {
  readonly rules: RobotsRule[];
  delay: number;
}

export function robotsOf(text: string): Robots {
  const groups = groupsIn(text);
  const { rules, delay } = groups.get(ROBOT.toLowerCase()) ?? groups.get('*') ?? newGroup();
  // The longest rule decides, and of two of the same length, the one that allows (RFC 9309, section 2.2.2).
  rules.sort((a, b) => b.length - a.length || Number(b.allows) - Number(a.allows));
  return {
    allows(address) {
      const { pathname, search } = new URL(address);
      if (pathname === '/robots.txt') return true;
      const path = normalEscapes(pathname + search);
      return rules.find(({ matches }) => matches(path))?.allows ?? true;
    },
    delayMs: Math.min(LONGEST_DELAY_S, delay) * 1000,
    digest: createHash('sha256').update(text).digest('base64url').slice(0, 16),
  };
}

const newGroup = (): Group => ({ rules: [], delay: 0 });

const FIELDS = new Set(['user-agent', 'allow', 'disallow', 'crawl-delay']);

/** Yields the lines that belong to groups. Others, such as those of sitemaps, may stand anywhere. */
function* linesIn(text: string): Generator<{ readonly field: string; readonly value: string }> {
  for (const line of text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/)) {
    const [, name = '', value = ''] = /^\s*([\w-]{1,20})\s*:([^#]*)/.exec(line) ?? [];
    const field = name.toLowerCase();
    if (FIELDS.has(field)) yield { field, value: value.trim() };
  }
}

/** Returns the groups by the names of their robots, in lower case. Groups of one robot count together. */
function groupsIn(text: string): Map<string, Group> {
  const groups = new Map<string, Group>();
  const limits = { wildcards: 0 };
  let named: Group[] = [];
  let isNaming = false;
  for (const { field, value } of linesIn(text)) {
    const isName = field === 'user-agent';
    if (isName && !isNaming) named = [];
    isNaming = isName;
    if (isName) named.push(groupOf(groups, value));
    else if (field === 'crawl-delay') setDelay(named, Number(value));
    else addRule(named, ruleOf(value, field === 'allow', limits));
  }
  return groups;
}

function setDelay(groups: readonly Group[], seconds: number): void {
  if (seconds > 0) for (const group of groups) group.delay = seconds;
}

function addRule(groups: readonly Group[], rule: RobotsRule | undefined): void {
  if (rule) for (const { rules } of groups) rules.push(rule);
}

function groupOf(groups: Map<string, Group>, robot: string): Group {
  // A version may follow the name.
  const [name = ''] = /^(?:\*|[a-z_-]*)/.exec(robot.toLowerCase()) ?? [];
  const group = groups.get(name) ?? newGroup();
  groups.set(name, group);
  return group;
}

/** Returns undefined for a rule without a path, and for one beyond the limits. */
function ruleOf(
  pattern: string,
  allows: boolean,
  limits: { wildcards: number },
): RobotsRule | undefined {
  if (pattern === '') return undefined;
  if (pattern.includes('*')) {
    limits.wildcards++;
    if (pattern.length > MAX_WILDCARD_RULE || limits.wildcards > MAX_WILDCARD_RULES)
      return undefined;
  }
  // A path is compared in the form in which URLs write it.
  const ascii = pattern.toWellFormed().replaceAll(/[^\x21-\x7e]+/g, encodeURIComponent);
  const written = normalEscapes(ascii);
  return { allows, length: written.length, matches: matcherOf(written) };
}
