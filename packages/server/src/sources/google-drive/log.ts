/** Follows the log of changes of a corpus. */
import type { z } from 'zod';
import { SourceError } from '../../errors.ts';
import { remove, type SourceItem } from '../items.ts';
import { pages } from '../kit/listing.ts';
import { NotFound } from '../kit/refusal.ts';
import { ALL_DRIVES, CHANGES_FIELDS, Changes, FOLDER, StartPageToken } from './answer.ts';
import { again, type DriveItems } from './listing.ts';
import { MY, type Reader } from './reader.ts';

interface LogPage {
  /** The log goes on here. */
  readonly next: string;
  /** More may have changed in these corpora than the page says. */
  readonly vague: ReadonlySet<string>;
}

/** Yields what the log tells from this place on, and after each page what `mark` makes of it. Returns what all pages say. */
export async function* follow(
  reader: Reader,
  corpus: string,
  { from, mark }: { readonly from: string; mark?(page: LogPage): SourceItem },
): DriveItems<LogPage> {
  let end = from;
  const all = new Set<string>();
  for await (const { page, next } of pages(from, (token) => changesAt(reader, corpus, token))) {
    const unread = yield* changedItems(reader, page.changes);
    const vague = toListAgain(reader, corpus, page.changes);
    for (const one of unread) vague.add(reader.corpora.has(one) ? one : corpus);
    for (const one of vague) all.add(one);
    end = next ?? page.newStartPageToken ?? '';
    if (mark) yield mark({ next: end, vague });
  }
  return { next: end, vague: all };
}

type DriveChange = z.infer<typeof Changes>['changes'][number];

/** Returns the corpora in which a folder could not be read. */
async function* changedItems(
  reader: Reader,
  changes: readonly DriveChange[],
): DriveItems<ReadonlySet<string>> {
  const unread = new Set<string>();
  reader.folders.note(changes.flatMap(({ file }) => file ?? []));
  for (const { fileId, file } of changes) {
    if (file) {
      if (!(yield* again(reader, file))) unread.add(reader.corpusOf(file));
    }
    // A change without `file` means that the account no longer sees the file.
    else if (fileId !== undefined) yield remove(fileId);
  }
  return unread;
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

/** Returns the end of the log. */
export async function startToken({ http }: Reader, corpus: string): Promise<string> {
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
