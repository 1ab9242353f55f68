/** Says what is wrong with the answer to a hostile document, or nothing. */
import type { Converted } from '../../../documents/convert.ts';
import { UNREADABLE } from '../../../documents/convert-file.ts';
import type { Extracted, ExtractedText } from '../../../documents/extract.ts';
import { MAX_CHARACTERS } from '../../../documents/kinds.ts';
import type { Omission } from '../../../documents/omission.ts';
import { split } from '../../../documents/split.ts';
import { SourceError } from '../../../errors.ts';
import { isStorable } from '../../../model/storable.ts';
import { hold, same } from '../../random/violation.ts';
import type { FuzzedKind } from './samples.ts';

/** An answer is what a document has become, or the error because of which it was not read. */
export type Answer = Extracted | { readonly kind: 'error'; readonly error: unknown };

/** These begin the messages of errors that JavaScript itself throws. */
const RAW =
  /cannot read prop|is not (?:a function|iterable|defined|valid JSON)|invalid (?:array|string|count|time|date)|maximum call stack|out of range|unexpected (?:token|end|non)|\bundefined\b|\bNaN\b|\[object |heap|TypeError|RangeError|ERR_/i;

/**
 * PDFium and SheetJS need very long or much memory for some small documents. The limits of the process are made for this:
 * the document is refused.
 */
export const BY_LIBRARIES: ReadonlySet<FuzzedKind> = new Set(['pdf', 'xls']);

/** Throws a Violation whose rule names what is wrong. */
export function checkAnswer(answer: Answer, kind: FuzzedKind): void {
  if (answer.kind === 'text') checkText(answer);
  else if (answer.kind === 'skip') checkOmission(answer);
  else checkError(answer.error, kind);
}

function checkError(error: unknown, kind: FuzzedKind): void {
  hold(error instanceof SourceError, 'an error is a SourceError', () => String(error));
  const { message, hint = null } = error;
  hold(error.kind === 'skip', 'an error concerns only the document', () => message);
  hold(!/^the process that read/.test(message), 'the process survives', () => message);
  const isAtLimit = /took more than/.test(message);
  hold(!isAtLimit || BY_LIBRARIES.has(kind), 'a small document keeps the limits', () => message);
  checkBroken({ reason: message, hint, error: error.cause });
}

/** An error that a converter does not throw on purpose is a fault of the converter, although people get plain words. */
function checkBroken({
  reason,
  hint,
  error,
}: {
  readonly reason: string;
  readonly hint: string | null;
  readonly error?: unknown;
}): void {
  hold(reason !== UNREADABLE, 'a converter throws only SourceErrors', () => String(error));
  checkMessage(reason);
  checkMessage(hint ?? '');
}

function checkOmission({ reason, detail = '', hint = '' }: Omission): void {
  for (const message of [reason, detail, hint]) checkMessage(message);
}

function checkMessage(message: string): void {
  hold(!RAW.test(message), 'a message is in plain words', () => message);
  hold(message.length < 500, 'a message is short', () => message.slice(0, 600));
  checkStorable(message, 'a message');
}

const checkStorable = (text: string, what: string): void =>
  hold(isStorable(text), 'a database can store all texts', () => `${what}: ${shownOf(text)}`);

const shownOf = (text: string): string => JSON.stringify(text.slice(0, 200));

function checkText({ inner = [], ...text }: ExtractedText): void {
  checkContent(text);
  let characters = text.text.length;
  const paths = new Set<string>();
  for (const { path, name = '', outcome } of inner) {
    checkPath(path);
    hold(!paths.has(path), 'no two documents inside have one path', () => shownOf(path));
    paths.add(path);
    checkStorable(name, 'a name');
    if (outcome.is === 'broken') checkBroken(outcome);
    else if (outcome.is === 'skip') checkOmission(outcome.omission);
    else {
      checkContent(outcome);
      characters += outcome.text.length;
    }
  }
  hold(characters <= MAX_CHARACTERS, 'all texts keep their limit', () => `${characters}`);
}

/** The paths of containers and what is inside of them are joined by `!/`. */
function checkPath(path: string): void {
  checkStorable(path, 'a path');
  for (const one of path.split('!/')) {
    const isClean = one !== '' && !one.startsWith('/') && !/\p{Cc}/u.test(one);
    hold(isClean && !one.split(/[/\\]/).includes('..'), 'paths are clean', () => shownOf(path));
  }
}

function checkContent({ text, pages, places, about = {} }: Converted): void {
  checkStorable(text, 'the text');
  for (const [field, value] of Object.entries(about)) checkStorable(value, field);
  let last = 0;
  for (const at of pages ?? []) {
    const isInside = at >= last && at <= text.length;
    hold(isInside, 'pages ascend within the text', () => `${pages} of ${text.length}`);
    last = at;
  }
  // The splitter runs in the service itself, so no text may break it.
  const pieces = split({ name: 'a', text, pages, places, isMarkdown: true });
  hold(pieces.length > 0, 'a text has pieces', () => shownOf(text));
  if (places === undefined) return;
  same(places.length, pages?.length, 'each page has its place');
  for (const place of places) checkStorable(place, 'a place');
}
