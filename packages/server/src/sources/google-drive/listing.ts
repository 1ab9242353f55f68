/** Lists the files of a corpus, or those below a folder. */
import { SourceError } from '../../errors.ts';
import type { SourceItem } from '../items.ts';
import { pages } from '../kit/listing.ts';
import { ALL_DRIVES, type DriveFile, FILES_FIELDS, Files, FOLDER } from './answer.ts';
import { MY, type Reader } from './reader.ts';

export type DriveItems<Result = void> = AsyncGenerator<SourceItem, Result, void>;

interface ListedFrom {
  readonly page: string | null;
  /** Makes the bookmark of a page, at which an interrupted full pull goes on. */
  readonly placeAt?: (page: string) => SourceItem;
}

export async function* filesOf(
  reader: Reader,
  corpus: string,
  { page: first, placeAt }: ListedFrom = { page: null },
): DriveItems {
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

/**
 * Reads everything below a folder that was renamed, moved or trashed, because Google does not promise a change for each
 * file in it. Returns false when a folder could not be listed to its end, so that its corpus must be listed again.
 */
async function* below(reader: Reader, folder: DriveFile): DriveItems<boolean> {
  const corpus = reader.corpusOf(folder);
  const q = `'${folder.id}' in parents`;
  const list = (pageToken: string | null) => filesAt(reader, { corpus, q, pageToken });
  let isWhole = true;
  try {
    for await (const { page } of pages(null, list)) {
      reader.folders.note(page);
      for (const file of page) if (!(yield* again(reader, file))) isWhole = false;
    }
  } catch (error) {
    if (error instanceof SourceError && error.kind === 'skip') return false;
    throw error;
  }
  return isWhole;
}

/** Returns false when not all that is below the folder could be read. */
export async function* again(reader: Reader, file: DriveFile): DriveItems<boolean> {
  if (file.mimeType === FOLDER) return yield* below(reader, file);
  yield* await reader.readAgain(file);
  return true;
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
