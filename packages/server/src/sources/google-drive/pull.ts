/**
 * Lists the corpora, and follows their changes. A token of each log of changes is taken before its corpus is listed, so
 * nothing that changes meanwhile is missed. A corpus that could not be listed is in the cursor without a token: the next
 * pull lists all of it, as it does with a new shared drive, or deletes what was stored of it when it is gone by then.
 *
 * A file keeps its id when it moves to another corpus, and may have been there before the log of that corpus was read, or
 * after it. So nothing that a listing lacks is deleted before all logs were followed after it.
 */
import { z } from 'zod';
import { bookmark, checkpoint, listed, type SourceItem } from '../items.ts';
import { part, unlessLost } from '../kit/listing.ts';
import { type DriveItems, filesOf } from './listing.ts';
import { follow, startToken } from './log.ts';
import type { Reader } from './reader.ts';

/** The keys are the names of corpora. The token of a corpus that is still to be listed is TO_LIST. */
const Tokens = z.record(z.string(), z.string());
const TO_LIST = '';
type CorpusTokens = z.infer<typeof Tokens>;

/** Each token is the position up to which the changes of its corpus were read. */
export const DriveCursor = z.strictObject({ tokens: Tokens });
type DriveCursor = z.infer<typeof DriveCursor>;

/** The corpora in `left` are still to be listed, the first one from its next page on. */
const DrivePlace = z.object({
  tokens: Tokens,
  left: z.array(z.string()),
  page: z.string().nullable(),
});

export async function* pullAll(reader: Reader, interrupted: unknown): DriveItems {
  yield* reader.missing;
  const begun = interrupted === null ? await begin(reader) : DrivePlace.parse(interrupted);
  const { tokens } = begun;
  let { left, page } = begun;
  for (const corpus of left) {
    const placeAt = (next: string | null) => bookmark({ tokens, left, page: next });
    const items = filesOf(reader, corpus, { page, placeAt });
    if (!(yield* part(corpus, items))) tokens[corpus] = TO_LIST;
    left = left.slice(1);
    page = null;
    yield placeAt(null);
  }
  if (reader.corpora.size > 1)
    for (const corpus of reader.corpora)
      yield* unlessLost(corpus, meetMoved(reader, corpus, tokens));
  yield checkpoint({ tokens } satisfies DriveCursor);
}

async function begin(reader: Reader): Promise<z.infer<typeof DrivePlace>> {
  const left = [...reader.corpora];
  const tokens: CorpusTokens = {};
  for (const corpus of left) tokens[corpus] = await startToken(reader, corpus);
  return { tokens, left, page: null };
}

async function* meetMoved(reader: Reader, corpus: string, tokens: CorpusTokens): DriveItems {
  const from = tokens[corpus];
  if (!from) return;
  const { next, vague } = yield* follow(reader, corpus, { from });
  // The next pull meets again what this log says too little about.
  if (vague.size === 0) tokens[corpus] = next;
}

interface DriveLogs {
  readonly reader: Reader;
  /** The cursor has these. */
  readonly tokens: CorpusTokens;
  /** The logs of corpora that are TO_LIST have been followed up to here. */
  readonly kept: CorpusTokens;
  /** These corpora could not be read. */
  readonly lost: Set<string>;
  save(): SourceItem;
}

export async function* pullChanges(reader: Reader, cursor: DriveCursor): DriveItems {
  const tokens = { ...cursor.tokens };
  const save = () => checkpoint({ tokens: { ...tokens } } satisfies DriveCursor);
  const logs: DriveLogs = { reader, tokens, kept: {}, lost: new Set(), save };
  for (const corpus of reader.corpora) if (tokens[corpus]) yield* followLog(logs, corpus);
  const fresh = yield* listAgain(logs);
  const vague = new Set<string>();
  if (fresh.length > 0 && reader.corpora.size > 1)
    for (const corpus of reader.corpora) yield* followLog(logs, corpus, vague);
  for (const corpus of fresh) {
    if (vague.has(corpus)) continue;
    yield listed(corpus);
    tokens[corpus] = logs.kept[corpus] ?? TO_LIST;
    yield save();
  }
  // The account is not a member any more, or the drive is deleted. What was moved out of it before is found by now.
  for (const corpus of Object.keys(tokens))
    if (!reader.corpora.has(corpus)) {
      yield listed(corpus);
      delete tokens[corpus];
    }
  yield save();
}

/** Follows the log of a corpus, and adds to `vague` the corpora of which more may have changed than it says. */
async function* followLog(
  { reader, tokens, kept, lost, save }: DriveLogs,
  corpus: string,
  vague = new Set<string>(),
): DriveItems {
  const from = tokens[corpus] || kept[corpus];
  if (!from || lost.has(corpus)) return;
  const items = follow(reader, corpus, {
    from,
    mark(page) {
      for (const one of page.vague) {
        vague.add(one);
        kept[one] ||= tokens[one] ?? TO_LIST;
        tokens[one] = TO_LIST;
      }
      (tokens[corpus] ? tokens : kept)[corpus] = page.next;
      return save();
    },
  });
  if (!(yield* unlessLost(corpus, items))) lost.add(corpus);
}

/** Lists the corpora that are still to be listed, and returns those that could be listed. */
async function* listAgain({
  reader,
  tokens,
  kept,
  lost,
}: DriveLogs): DriveItems<readonly string[]> {
  const fresh: string[] = [];
  for (const corpus of reader.corpora) {
    if (tokens[corpus] || lost.has(corpus)) continue;
    kept[corpus] ||= await startToken(reader, corpus);
    tokens[corpus] = TO_LIST;
    if (yield* unlessLost(corpus, filesOf(reader, corpus))) fresh.push(corpus);
    else lost.add(corpus);
  }
  return fresh;
}
