/**
 * Reads the cues of subtitles: SubRip (`.srt`), WebVTT (https://www.w3.org/TR/webvtt1/) and the format of YouTube
 * (`.sbv`). They differ in how a line of times is written; what stands before the first such line is not shown.
 */
import { Parser } from 'htmlparser2';
import { cleanText } from '../plain.ts';

export interface Cue {
  /** These are seconds. */
  readonly start: number;
  readonly end: number;
  readonly lines: readonly CueLine[];
}

export interface CueLine {
  readonly speaker: string | null;
  readonly text: string;
}

const TIME = String.raw`(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})(?:[.,](\d{1,6}))?`;
const TIMES = new RegExp(`^\\s*${TIME}(?:\\s*-->\\s*|,)${TIME}(?=\\s|$)`);
/** The number of a cue stands right above its times, and may stand right below the text of the cue before it. */
const NUMBER = /^\s*\d{1,9}\s*$/;

export function* cuesOf(text: string): Generator<Cue> {
  // Only WebVTT says what may stand behind a blank line: notes and styles. Elsewhere a cue may have blank lines in it.
  const isWebVtt = text.startsWith('WEBVTT');
  let open: { start: number; end: number; lines: string[] } | null = null;
  const close = (cue: typeof open) =>
    cue && { start: cue.start, end: cue.end, lines: [...spokenLines(cue.lines)] };
  for (const line of linesIn(text)) {
    const times = TIMES.exec(line);
    if (times) {
      if (open && NUMBER.test(open.lines.at(-1) ?? '')) open.lines.pop();
      const cue = close(open);
      if (cue) yield cue;
      open = { start: seconds(times.slice(1, 5)), end: seconds(times.slice(5, 9)), lines: [] };
    } else if (isWebVtt && line.trim() === '') {
      const cue = close(open);
      if (cue) yield cue;
      open = null;
    } else open?.lines.push(line);
  }
  const last = close(open);
  if (last) yield last;
}

function* linesIn(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at);
    yield text.slice(at, end === -1 ? text.length : end);
    at = end === -1 ? text.length : end + 1;
  }
}

const seconds = ([hours = '0', minutes = '0', whole = '0', part = '0']: readonly (
  | string
  | undefined
)[]) => Number(hours) * 3600 + Number(minutes) * 60 + Number(`${whole}.${part}`);

const VOICE = /<v(?:\.[^\s<>]{0,99})?\s+([^<>\s][^<>]{0,199})>|<\/v>/gi;
/** These are formats, times of words, and the positions that programs for `.ass` write. */
const MARKUP = /<\/?(?:[a-z][\w.]{0,99}(?:\s[^<>]{0,200})?|[\d:.]{1,20})>|\{\\[^{}]{0,200}\}/gi;
const DIRECTIONS = /[\u200e\u200f]/g;

/** A voice speaks until its end or the next voice, and at the longest until the end of the cue. */
function* spokenLines(lines: readonly string[]): Generator<CueLine> {
  let speaker: string | null = null;
  for (const line of lines) {
    let at = 0;
    for (const { 0: tag, 1: name, index } of line.matchAll(VOICE)) {
      yield* lineOf(line.slice(at, index), speaker);
      speaker = name?.trim() ?? null;
      at = index + tag.length;
    }
    yield* lineOf(line.slice(at), speaker);
  }
}

function lineOf(source: string, speaker: string | null): CueLine[] {
  const text = withoutReferences(source.replaceAll(MARKUP, ''))
    .replaceAll(DIRECTIONS, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return text === '' ? [] : [{ speaker, text: cleanText(text) }];
}

/** Decodes references to characters as HTML does (WebVTT, section 6.4). */
function withoutReferences(text: string): string {
  if (!text.includes('&')) return text;
  const decoded: string[] = [];
  new Parser({ ontext: (part) => decoded.push(part) }).end(text.replaceAll('<', '&lt;'));
  return decoded.join('');
}
