/**
 * Converts a file and everything that is inside of it, such as the attachments of a mail or the files of an archive.
 * This code runs in the limited process, so its time and memory are limited for all of it together.
 */
import { SourceError } from '../errors.ts';
import type { Container, Converted, InnerDocument } from './convert.ts';
import { CONVERTERS } from './converters.ts';
import { decide, HEAD_BYTES } from './decide.ts';
import type { ExtractOutcome, ExtractRequest, InnerOutcome } from './extract-protocol.ts';
import { type FileKind, MAX_CHARACTERS, tooMuchText } from './kinds.ts';
import { createOcr } from './ocr/ocr.ts';
import type { Omission } from './omission.ts';
import { decodeText } from './plain.ts';

/** These are limits for everything inside of one file. */
export const MAX_INNER_DOCUMENTS = 10_000;
export const MAX_INNER_BYTES = 200 * 1024 * 1024;
/** A document may be in an archive in a mail in an archive. */
export const DEEPEST = 3;
/** This stands between the path of a container and the path of a document that is inside of it. */
const INSIDE = '!/';

const TOO_DEEP: Omission = {
  reason: 'too deep inside of other files',
  detail: `more than ${DEEPEST} levels`,
  hint: 'Unpack it: the next sync reads the result.',
};

type OutcomeOfOne = ({ readonly is: 'text' } & Converted) | Exclude<ExtractOutcome, { is: 'text' }>;

/** The recognition of text takes long, so it calls `onProgress` after each picture. */
export async function convertFile(
  { kind, name, optional, ocr: setup }: Omit<ExtractRequest, 'size'>,
  bytes: Uint8Array,
  onProgress: () => void,
): Promise<ExtractOutcome> {
  const optionalKinds = new Map(optional);
  const ocr = setup && createOcr(setup, onProgress);
  const all: InnerOutcome[] = [];
  const paths = new Set<string>();
  let documents = 0;
  let size = 0;
  let characters = 0;

  /** `above` has the paths of the containers of the document, the outermost first. */
  async function convertOne(
    one: FileKind,
    { name, bytes }: { readonly name: string; readonly bytes: Uint8Array },
    above: readonly string[],
  ): Promise<OutcomeOfOne> {
    if (one === 'plain') {
      const text = decodeText(bytes);
      return text === null ? { is: 'skip', omission: { reason: 'binary' } } : limited({ text });
    }
    const container: Container = {
      name,
      add: (inner) => add(inner, above),
      leaveOut(part, omission) {
        const path = unusedPath([...above, part].join(INSIDE));
        all.push({ path, kind: 'plain', outcome: { is: 'skip', omission } });
      },
      ...(ocr && { ocr }),
    };
    const { convert } = await CONVERTERS[one]();
    const converted = await convert(bytes, container);
    return 'reason' in converted ? { is: 'skip', omission: converted } : limited(converted);
  }

  function limited(converted: Converted): OutcomeOfOne {
    characters += converted.text.length;
    const omission = tooMuchText(converted.text);
    return omission ? { is: 'skip', omission } : { is: 'text', ...converted };
  }

  async function add(inner: InnerDocument, above: readonly string[]): Promise<void> {
    documents++;
    size += inner.bytes.length;
    if (documents > MAX_INNER_DOCUMENTS) throw tooMuchInside(`${MAX_INNER_DOCUMENTS} documents`);
    if (size > MAX_INNER_BYTES) throw tooMuchInside(`${MAX_INNER_BYTES / 1024 / 1024} MB`);
    if (characters > MAX_CHARACTERS) throw tooMuchInside(`${MAX_CHARACTERS} characters`);
    const path = unusedPath([...above, inner.path].join(INSIDE));
    const place = all.length;
    const { kind, outcome } = await innerOutcome(inner, [...above, inner.path]);
    const named = inner.name === undefined ? {} : { name: inner.name };
    // A container comes before what is inside of it.
    all.splice(place, 0, { path, ...named, kind, outcome });
  }

  async function innerOutcome(
    { path, bytes }: InnerDocument,
    above: readonly string[],
  ): Promise<Pick<InnerOutcome, 'kind' | 'outcome'>> {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const head = bytes.subarray(0, HEAD_BYTES);
    const decided = decide({ name, size: bytes.length, head }, optionalKinds);
    if (!('kind' in decided)) return { kind: 'plain', outcome: { is: 'skip', omission: decided } };
    const { kind } = decided;
    if (above.length > DEEPEST) return { kind, outcome: { is: 'skip', omission: TOO_DEEP } };
    try {
      return { kind, outcome: await convertOne(kind, { name, bytes }, above) };
    } catch (error) {
      if (error instanceof TooMuchInside) throw error;
      return { kind, outcome: brokenBy(error) };
    }
  }

  /** An archive may have several files with one path. */
  function unusedPath(path: string): string {
    let unused = path;
    for (let number = 2; paths.has(unused); number++) unused = `${path}#${number}`;
    paths.add(unused);
    return unused;
  }

  try {
    const outcome = await convertOne(kind, { name, bytes }, []);
    if (characters > MAX_CHARACTERS && outcome.is === 'text')
      throw tooMuchInside(`${MAX_CHARACTERS} characters`);
    return outcome.is === 'text' && all.length > 0 ? { ...outcome, inner: all } : outcome;
  } catch (error) {
    return brokenBy(error);
  }
}

class TooMuchInside extends SourceError {}

const tooMuchInside = (limit: string) =>
  new TooMuchInside('skip', `more than ${limit} are inside of the file`, {
    hint: 'Unpack it: the next sync reads what is inside.',
  });

/** An error of a parser concerns only this document, so it becomes the answer. */
function brokenBy(error: unknown): ExtractOutcome & { is: 'broken' } {
  if (error instanceof SourceError)
    return { is: 'broken', reason: error.message, hint: error.hint ?? null };
  const message = (error instanceof Error ? error.message : String(error)).slice(0, 200);
  return { is: 'broken', reason: `the document is broken: ${message}`, hint: null };
}
