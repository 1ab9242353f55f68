/**
 * Lists the corpora, and follows their changes. A token of each log of changes is taken before its corpus is listed, so
 * nothing that changes meanwhile is missed. A corpus that could not be listed is in the cursor without a token: the next
 * pull lists all of it, as it does with a new shared drive, or deletes what was stored of it when it is gone by then.
 */
import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import { bookmark, checkpoint, listed, remove, type SourceItem } from '../items.ts';
import { pages, part, unlessLost } from '../kit/listing.ts';
import { NotFound } from '../kit/refusal.ts';
import {
  ALL_DRIVES,
  CHANGES_FIELDS,
  Changes,
  type DriveFile,
  FILES_FIELDS,
  Files,
  FOLDER,
  StartPageToken,
} from './answer.ts';
import { MY, type Reader } from './reader.ts';

/** The keys are the names of corpora. The token of a corpus that could not be listed is TO_LIST. */
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

type Items<Result> = AsyncGenerator<SourceItem, Result, void>;

export async function* pullAll(reader: Reader, interrupted: unknown): Items<void> {
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
  yield checkpoint({ tokens } satisfies DriveCursor);
}

async function begin(reader: Reader): Promise<z.infer<typeof DrivePlace>> {
  const left = [...reader.corpora];
  const tokens: CorpusTokens = {};
  for (const corpus of left) tokens[corpus] = await startToken(reader, corpus);
  return { tokens, left, page: null };
}

export async function* pullChanges(reader: Reader, cursor: DriveCursor): Items<void> {
  const tokens = { ...cursor.tokens };
  const { corpora } = reader;
  // The account is not a member any more, or the drive is deleted.
  for (const corpus of Object.keys(tokens))
    if (!corpora.has(corpus)) {
      yield listed(corpus);
      delete tokens[corpus];
    }
  const followed = Object.keys(tokens).filter((corpus) => tokens[corpus] !== TO_LIST);
  for (const corpus of corpora)
    if (!tokens[corpus]) {
      const token = await startToken(reader, corpus);
      const isListed = yield* part(corpus, filesOf(reader, corpus));
      tokens[corpus] = isListed ? token : TO_LIST;
    }
  yield checkpoint({ tokens: { ...tokens } } satisfies DriveCursor);
  for (const corpus of followed)
    if (tokens[corpus] !== TO_LIST) yield* unlessLost(corpus, follow(reader, corpus, tokens));
}

interface ListedFrom {
  readonly page: string | null;
  /** Makes the bookmark of a page, at which an interrupted full pull goes on. */
  readonly placeAt?: (page: string) => SourceItem;
}

async function* filesOf(
  reader: Reader,
  corpus: string,
  { page: first, placeAt }: ListedFrom = { page: null },
): Items<void> {
  const q = 'trashed = false';
  // Folders come first, so that few must be asked for one by one.
  const list = (page: string | null) =>
    filesAt(reader, { corpus, q, orderBy: 'folder', pageToken: page });
  for await (const { page, next } of pages(first, list)) {
    reader.folders.note(page);
    for (const file of page) if (reader.corpusOf(file) === corpus) yield* await reader.read(file);
    if (next !== null && placeAt) yield placeAt(next);
  }
}

/** Keeps in `tokens` how far the log has been read. */
async function* follow(reader: Reader, corpus: string, tokens: CorpusTokens): Items<void> {
  const from = tokens[corpus] ?? null;
  /** These corpora are listed again at the end, and until then their tokens are TO_LIST. */
  const kept: CorpusTokens = {};
  for await (const { page, next } of pages(from, (token) => changesAt(reader, corpus, token))) {
    yield* changedItems(reader, page.changes);
    for (const one of toListAgain(reader, corpus, page.changes)) {
      kept[one] ??= tokens[one] ?? TO_LIST;
      tokens[one] = TO_LIST;
    }
    const followed = corpus in kept ? kept : tokens;
    followed[corpus] = next ?? page.newStartPageToken ?? '';
    yield checkpoint({ tokens: { ...tokens } } satisfies DriveCursor);
  }
  for (const [one, token] of Object.entries(kept)) {
    if (yield* part(one, filesOf(reader, one))) tokens[one] = token;
    yield checkpoint({ tokens: { ...tokens } } satisfies DriveCursor);
  }
}

type DriveChange = z.infer<typeof Changes>['changes'][number];

async function* changedItems(reader: Reader, changes: readonly DriveChange[]): Items<void> {
  reader.folders.note(changes.flatMap(({ file }) => file ?? []));
  for (const { fileId, file } of changes) {
    if (file) yield* again(reader, file);
    // A change without `file` means that the account no longer sees the file.
    else if (fileId !== undefined) yield remove(fileId);
  }
}

/** Returns the corpora of which more may have changed than the log says. */
function toListAgain(reader: Reader, corpus: string, changes: readonly DriveChange[]) {
  // The name and the members of a shared drive concern all files in it.
  const drives = changes.flatMap(({ changeType, driveId }) =>
    changeType === 'drive' && driveId !== undefined && reader.corpora.has(driveId) ? driveId : [],
  );
  return new Set(changes.some(hidesMore) ? [corpus, ...drives] : drives);
}

/**
 * Returns whether more than the file of the change may be gone. A change without a file does not say whether it was a
 * folder, and Google does not promise a change for each file in a folder that the account no longer sees or may list.
 */
const hidesMore = ({ fileId, file }: DriveChange): boolean =>
  file
    ? file.mimeType === FOLDER && file.capabilities?.canListChildren === false
    : fileId !== undefined;

/**
 * Reads everything below a folder that was renamed, moved or trashed, because Google does not promise a change for each
 * file in it.
 */
async function* below(reader: Reader, folder: DriveFile): Items<void> {
  const corpus = reader.corpusOf(folder);
  const q = `'${folder.id}' in parents`;
  const list = (pageToken: string | null) => filesAt(reader, { corpus, q, pageToken });
  for await (const { page } of pages(null, list)) {
    reader.folders.note(page);
    for (const file of page) yield* again(reader, file);
  }
}

async function* again(reader: Reader, file: DriveFile): Items<void> {
  if (file.mimeType === FOLDER) yield* unlessLost(reader.corpusOf(file), below(reader, file));
  else yield* await reader.readAgain(file);
}

interface FilesRequest {
  readonly corpus: string;
  readonly q: string;
  readonly orderBy?: string;
  readonly pageToken: string | null;
}

async function filesAt({ http }: Reader, { corpus, q, orderBy, pageToken }: FilesRequest) {
  const query = {
    ...ALL_DRIVES,
    ...(corpus === MY ? { corpora: 'user' } : { corpora: 'drive', driveId: corpus }),
    q,
    orderBy,
    pageToken: pageToken ?? undefined,
    pageSize: 1000,
    fields: FILES_FIELDS,
  };
  const { value } = await http.json({ path: 'drive/v3/files', query }, Files);
  if (value.incompleteSearch)
    throw new SourceError('skip', `Google Drive has not searched all files of '${corpus}'`);
  return { page: value.files, next: value.nextPageToken };
}

async function changesAt({ http }: Reader, corpus: string, pageToken: string | null) {
  const query = {
    ...ALL_DRIVES,
    ...(corpus !== MY && { driveId: corpus }),
    // With this parameter, Google distinguishes a file that has moved to another corpus from one that the account no
    // longer sees.
    includeCorpusRemovals: true,
    pageToken: pageToken ?? undefined,
    pageSize: 1000,
    fields: CHANGES_FIELDS,
  };
  try {
    const { value } = await http.json({ path: 'drive/v3/changes', query }, Changes);
    return { page: value, next: value.nextPageToken };
  } catch (error) {
    // The log of the account itself always exists, so a 404 means that Google no longer knows the position in it.
    if (corpus !== MY || !(error instanceof NotFound)) throw error;
    throw new SourceError('outdated', error.message, { cause: error });
  }
}

async function startToken({ http }: Reader, corpus: string): Promise<string> {
  const query = {
    supportsAllDrives: true,
    ...(corpus !== MY && { driveId: corpus }),
    fields: 'startPageToken',
  };
  const { value } = await http.json(
    { path: 'drive/v3/changes/startPageToken', query },
    StartPageToken,
  );
  return value.startPageToken;
}
