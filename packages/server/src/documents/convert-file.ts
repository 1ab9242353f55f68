/**
 * Converts a file and everything that is inside of it, such as the attachments of a mail or the files of an archive.
 * This code runs in the limited process, so its time and memory are limited for all of it together.
 */
import { SourceError } from '../errors.ts';
import type { Converted, InnerDocument } from './convert.ts';
import { CONVERTERS } from './converters.ts';
import { decide, HEAD_BYTES } from './decide.ts';
import type { ExtractOutcome, ExtractRequest, InnerOutcome } from './extract-protocol.ts';
import type { ParsedKind } from './kinds/table.ts';
import {
  type FileKind,
  MAX_CHARACTERS,
  type OptionalKinds,
  RECORDING_INSIDE,
  reasonInside,
  tooMuchText,
} from './kinds.ts';
import { createOcr } from './ocr/ocr.ts';
import type { Omission } from './omission.ts';
import { decodeText } from './plain.ts';

/** These are limits for everything inside of one file. */
export const MAX_INNER_DOCUMENTS = 10_000;
export const MAX_INNER_BYTES = 200 * 1024 * 1024;
/** The list of what a job has left out holds as many. */
export const MAX_LEFT_OUT = 1_000;
/** A document may be in an archive in a mail in an archive. */
const DEEPEST = 3;
/** This stands between the path of a container and the path of a document that is inside of it. */
const INSIDE = '!/';

const TOO_DEEP: Omission = {
  reason: 'too deep inside of other files',
  detail: `more than ${DEEPEST} levels`,
  hint: 'Unpack it: the next sync reads the result.',
};

interface NamedBytes {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** This is where a document is inside of the file. */
interface InnerPlace {
  /** This stands before the paths of what is inside of the document, such as `pack.zip!/`. */
  readonly prefix: string;
  /** This counts the containers around the document, also those that pack only one file. */
  readonly depth: number;
}

type OutcomeOfOne =
  | ({ readonly is: 'text' } & Converted)
  | Exclude<InnerOutcome['outcome'], { is: 'text' }>;

/** The recognition of text takes long, so it calls `onProgress` after each picture. */
export async function convertFile(
  { kind, name, optional, ocr: setup }: Omit<ExtractRequest, 'size'>,
  bytes: Uint8Array,
  onProgress: () => void,
): Promise<ExtractOutcome> {
  const optionalKinds = new Map(optional);
  const ocr = setup && createOcr(setup, onProgress);
  const all: InnerOutcome[] = [];
  const paths = new Map<string, number>();
  const readAs = new Set<FileKind>();
  let documents = 0;
  let leftOut = 0;
  let size = 0;
  let characters = 0;

  async function convertOne(
    one: ReadableKind,
    file: NamedBytes,
    place: InnerPlace,
  ): Promise<OutcomeOfOne> {
    const converted = await contentOf(one, file, place);
    if ('reason' in converted) return { is: 'skip', omission: converted };
    return limited(one === 'plain' ? converted : await withLanguage(converted));
  }

  async function contentOf(
    one: ReadableKind,
    { name, bytes }: NamedBytes,
    place: InnerPlace,
  ): Promise<Converted | Omission> {
    if (one === 'plain') {
      const text = decodeText(bytes);
      return text === null ? { reason: 'binary' } : { text, isPlain: true };
    }
    const { convert } = await CONVERTERS[one]();
    return convert(bytes, {
      name,
      optional: optionalKinds,
      add: (inner) => add(inner, place),
      leaveOut: (path, why) => leaveOut(path, why, place),
      readAs: (name, bytes) => readPacked({ name, bytes }, place),
      convertAs: (kind, bytes, named = name) => {
        readAs.add(kind);
        return contentOf(kind, { name: named, bytes }, place);
      },
      ...(ocr && { ocr }),
    });
  }

  function limited(converted: Converted): OutcomeOfOne {
    characters += converted.text.length;
    const omission = tooMuchText(converted.text);
    return omission ? { is: 'skip', omission } : { is: 'text', ...converted };
  }

  async function add(inner: InnerDocument, { prefix, depth }: InnerPlace): Promise<void> {
    documents++;
    if (documents > MAX_INNER_DOCUMENTS) throw tooMuchInside(`${MAX_INNER_DOCUMENTS} documents`);
    countBytes(inner.bytes);
    if (characters > MAX_CHARACTERS) throw tooMuchInside(`${MAX_CHARACTERS} characters`);
    const path = unusedPath(prefix + inner.path);
    const at = all.length;
    const place = { prefix: path + INSIDE, depth: depth + 1 };
    const { kind, outcome } = await innerOutcome(inner, place);
    // A broken container is refused as a whole, with what was read before it broke.
    if (outcome.is === 'broken') all.length = at;
    const named = inner.name === undefined ? {} : { name: inner.name };
    // A container comes before what is inside of it.
    all.splice(at, 0, { path, ...named, kind, outcome });
  }

  function countBytes(bytes: Uint8Array): void {
    size += bytes.length;
    if (size > MAX_INNER_BYTES) throw tooMuchInside(`${MAX_INNER_BYTES / 1024 / 1024} MB`);
  }

  async function innerOutcome(
    { path, bytes }: InnerDocument,
    place: InnerPlace,
  ): Promise<Pick<InnerOutcome, 'kind' | 'outcome'>> {
    const file = { name: path.slice(path.lastIndexOf('/') + 1), bytes };
    const decided = decideOn(file, optionalKinds);
    if (!('kind' in decided)) return { kind: 'plain', outcome: { is: 'skip', omission: decided } };
    const { kind } = decided;
    if (place.depth > DEEPEST) return { kind, outcome: { is: 'skip', omission: TOO_DEEP } };
    try {
      return { kind, outcome: await convertOne(kind, file, place) };
    } catch (error) {
      if (error instanceof TooMuchInside || isOfInstallation(error)) throw error;
      return { kind, outcome: brokenBy(error) };
    }
  }

  function leaveOut(inner: string, why: Omission | SourceError, { prefix }: InnerPlace): void {
    if (++leftOut > MAX_LEFT_OUT) return;
    const path = unusedPath(prefix + inner);
    const outcome =
      why instanceof SourceError ? brokenBy(why) : ({ is: 'skip', omission: why } as const);
    all.push({ path, kind: 'plain', outcome });
  }

  async function readPacked(
    file: NamedBytes,
    { prefix, depth }: InnerPlace,
  ): Promise<Converted | Omission> {
    countBytes(file.bytes);
    const decided = decideOn(file, optionalKinds);
    if (!('kind' in decided)) return decided;
    if (depth + 1 > DEEPEST) return TOO_DEEP;
    readAs.add(decided.kind);
    return contentOf(decided.kind, file, { prefix, depth: depth + 1 });
  }

  /** An archive may have several files with one path. */
  function unusedPath(path: string): string {
    let unused = path;
    for (let number = 0; ; unused = `${unused}#${number}`) {
      number = (paths.get(unused) ?? 0) + 1;
      paths.set(unused, number);
      if (number === 1) return unused;
    }
  }

  try {
    const outcome = await convertOne(kind, { name, bytes }, { prefix: '', depth: 0 });
    if (characters > MAX_CHARACTERS && outcome.is === 'text')
      throw tooMuchInside(`${MAX_CHARACTERS} characters`);
    if (outcome.is !== 'text') return outcome;
    return {
      ...outcome,
      ...(all.length > 0 && { inner: all }),
      ...(readAs.size > 0 && { readAs: [...readAs] }),
    };
  } catch (error) {
    return isOfInstallation(error) ? misconfigured(error) : brokenBy(error);
  }
}

type ReadableKind = ParsedKind | 'plain';

function decideOn(
  { name, bytes }: NamedBytes,
  optional: OptionalKinds,
): { readonly kind: ReadableKind } | Omission {
  const head = bytes.subarray(0, HEAD_BYTES);
  const decided = decide({ name, size: bytes.length, head }, optional);
  if (!('kind' in decided)) return reasonInside(name) ?? decided;
  const { kind } = decided;
  return kind === 'recording' ? RECORDING_INSIDE : { kind };
}

/** A document that does not say its language gets the one that its text seems to have. */
async function withLanguage(converted: Converted): Promise<Converted> {
  if (converted.about?.language !== undefined) return converted;
  const { languageOf } = await import('./language.ts');
  const language = languageOf(converted.text);
  return language === undefined
    ? converted
    : { ...converted, about: { ...converted.about, language } };
}

class TooMuchInside extends SourceError {}

const tooMuchInside = (limit: string) =>
  new TooMuchInside('skip', `more than ${limit} are inside of the file`, {
    hint: 'Unpack it, or split it into smaller files: the next sync reads them.',
  });

/** Returns true for an error that is not about the document, so the document must not count as broken. */
const isOfInstallation = (error: unknown): error is SourceError =>
  error instanceof SourceError && error.kind === 'config';

const misconfigured = ({ message, hint }: SourceError): ExtractOutcome => ({
  is: 'misconfigured',
  reason: message,
  hint: hint ?? null,
});

/** This is for an error that no converter throws on purpose. Its own message speaks of the program. */
export const UNREADABLE = 'the document is broken, or written in a way that Quarry cannot read';

/** An error of a parser concerns only this document, so it becomes the answer. */
function brokenBy(error: unknown): ExtractOutcome & { is: 'broken' } {
  if (error instanceof SourceError)
    return { is: 'broken', reason: error.message, hint: error.hint ?? null };
  return {
    is: 'broken',
    reason: UNREADABLE,
    hint: 'Open it in the program that has made it, and save it again.',
    error: String(error).slice(0, 200),
  };
}
