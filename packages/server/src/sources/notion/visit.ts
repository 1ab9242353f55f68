/** Makes the items of one record that a listing shows: what is known of it already, or what is read now. */
import type { Omission } from '../../documents/omission.ts';
import { SourceError } from '../../errors.ts';
import { fail, listed, lost, remove, type SourceItem, skip, stub, upsert } from '../items.ts';
import { LeftOutFile } from '../kit/file.ts';
import { NotFound } from '../kit/refusal.ts';
import { type FoundRecord, isTrashed } from './answer.ts';
import { listComments } from './api.ts';
import { parentOf } from './directory.ts';
import { type CarriedPage, type CarriedSource, fileStub } from './hydrate.ts';
import type { KnownRecord, Memory } from './memory.ts';
import {
  commentsOf,
  filesOf,
  type NotionReader,
  ofComment,
  ofDataSource,
  type PlacedPage,
  type PlacedSource,
  type ReadPage,
  readPage,
  TYPES,
  versionOf,
} from './records.ts';
import { Invalid } from './refusal.ts';
import { Unsteady, wholeList } from './whole-list.ts';

/**
 * Notion's times have whole minutes, and its search knows a change a little later. A record that was read before this
 * time had passed is read again by the next pull.
 */
const SETTLING_MS = 120_000;

/** This is the state of one pull. */
export interface NotionPull {
  readonly reader: NotionReader;
  readonly isFull: boolean;
  /** Earlier pulls have read these records. */
  readonly before: Memory;
  /** All attempts of this pull have yielded these records. An incremental pull begins with those of before. */
  readonly now: Memory;
  /** It becomes false when Notion refuses to list comments. */
  mayReadComments: boolean;
  /** It becomes true when Notion has more than it lists, so that nothing that was not met counts as gone. */
  isCut: boolean;
}

/** A record as a listing shows it. */
export interface ListedRecord {
  readonly found: FoundRecord;
  /** The listing was true at this time. */
  readonly at: number;
  /** If true, the record is read even if it has not changed. */
  readonly isRead?: boolean;
  /** If true, no search has shown the record. */
  readonly isUnlisted?: boolean;
}

export interface VisitedRecord {
  readonly id: string;
  readonly items: readonly SourceItem[];
  /** This is remembered as soon as the items are yielded; null forgets the record. */
  readonly known: KnownRecord | null;
  /** Blocks of the page name these records. */
  readonly named?: ReadPage['named'];
}

type Below = Pick<KnownRecord, 'files' | 'hasComments'>;
type VisitedContent = Below & Pick<VisitedRecord, 'named'> & { readonly items: SourceItem[] };

const NONE: Below = { files: [], hasComments: false };
const CLOSED: Omission = {
  reason: 'not open to the integration',
  hint: 'In the settings of the integration, under Capabilities, allow "Read content" and "Read comments".',
};
const NO_COMMENTS = new SourceError('skip', 'the integration may not read comments');

export async function visit(
  pull: NotionPull,
  { found, at, isRead, isUnlisted = false }: ListedRecord,
): Promise<VisitedRecord> {
  const { reader, isFull, before } = pull;
  const { id, object: kind, last_edited_time: edited } = found;
  const known = before.known.get(id);
  const visited = (items: SourceItem[], below: Below, isSettled = hasSettled(edited, at)) => {
    const { files, hasComments } = below;
    return { id, items, known: { edited, isSettled, kind, files, hasComments, isUnlisted } };
  };
  if (isTrashed(found))
    return { id, items: isFull ? [] : [remove(id), ...goneBelow(pull, id)], known: null };
  if (edited === '') return visited(leaveOut(pull, found, CLOSED), NONE);
  const above = await reader.directory.above(parentOf(found));
  const isKept = !isRead && isUnchanged(known, found);
  if (found.object === 'data_source')
    return visited([await sourceItem(reader, { found, above }, isKept)], NONE);
  const placed: PlacedPage = { found, above };
  try {
    if (isKept) {
      const kept = await keep(pull, placed, known);
      return visited(kept.items, kept, true);
    }
    const content = await read(pull, placed, at);
    return { ...visited(content.items, content), named: content.named ?? [] };
  } catch (error) {
    if (error instanceof LeftOutFile)
      return visited(leaveOut(pull, found, error.omission), NONE, false);
    if (!isRefusal(error)) throw error;
    // A page that cannot be read stays as it is, with everything below it.
    const items = [fail(id, TYPES.page, error), ...(isFull ? [lost(filesOf(id), error)] : [])];
    return visited(items, known ?? NONE, false);
  }
}

/** A time that cannot be read never settles. */
const hasSettled = (edited: string, at: number): boolean => at - Date.parse(edited) >= SETTLING_MS;

export const isUnchanged = (
  known: KnownRecord | undefined,
  found: FoundRecord,
): known is KnownRecord => known?.isSettled === true && known.edited === found.last_edited_time;

export const isRefusal = (error: unknown): error is SourceError =>
  error instanceof SourceError && error.kind === 'skip';

const leaveOut = (
  pull: NotionPull,
  { id, object }: FoundRecord,
  omission: Omission,
): SourceItem[] => [
  skip(id, TYPES[object], { ...omission, removes: 'record' }),
  ...goneBelow(pull, id),
];

/** An incremental pull says of the files and comments of a record that they are gone. A full pull does not show them. */
function goneBelow({ isFull, before }: NotionPull, id: string): SourceItem[] {
  const { files, hasComments } = before.known.get(id) ?? NONE;
  if (isFull) return [];
  return [
    ...(files.length > 0 ? [listed(filesOf(id))] : []),
    ...(hasComments ? [listed(commentsOf(id))] : []),
  ];
}

async function sourceItem(
  reader: NotionReader,
  source: PlacedSource,
  isKept: boolean,
): Promise<SourceItem> {
  const version = versionOf(source);
  if (!isKept) return upsert(await ofDataSource(reader, source), { version });
  const carry: CarriedSource = { reader, source };
  return stub(source.found.id, TYPES.data_source, { version, carry });
}

/** Asks only for comments, since a comment does not change its page. */
async function keep(
  pull: NotionPull,
  placed: PlacedPage,
  known: KnownRecord,
): Promise<VisitedContent> {
  const carry: CarriedPage = { reader: pull.reader, placed };
  const { id } = placed.found;
  const { files } = known;
  const comments = known.hasComments ? await commentsBelow(pull, placed) : NO_CONTENT;
  return {
    files,
    hasComments: comments.hasComments,
    items: [
      stub(id, TYPES.page, { version: versionOf(placed), carry }),
      ...files.map(([file, digest]) => fileStub({ id: file, digest }, carry)),
      ...(files.length > 0 ? [listed(filesOf(id))] : []),
      ...comments.items,
    ],
  };
}

async function read(pull: NotionPull, placed: PlacedPage, at: number): Promise<VisitedContent> {
  const carry: CarriedPage = { reader: pull.reader, placed };
  const { id } = placed.found;
  const { entity, files, named } = await readPage(pull.reader, placed);
  // The blocks could be read, so a refusal of the comments concerns all pages.
  const comments = await commentsBelow(pull, placed, { isOpen: true });
  const hadFiles = (pull.before.known.get(id)?.files.length ?? 0) > 0;
  return {
    files: files.map(({ id: file, digest }) => [file, digest]),
    hasComments: comments.hasComments,
    named,
    items: [
      upsert(entity, { version: versionOf(placed) }),
      ...files.map((file) =>
        fileStub(file, carry, file.edited === '' || hasSettled(file.edited, at)),
      ),
      ...(files.length > 0 || hadFiles ? [listed(filesOf(id))] : []),
      ...comments.items,
    ],
  };
}

/** Other refusals of comments concern all pages. */
const OF_THIS_PAGE = [NotFound, Invalid, Unsteady];

type Comments = Pick<VisitedContent, 'items' | 'hasComments'>;
const NO_CONTENT: Comments = { items: [], hasComments: false };

/** Comments that may not be read stay as they are. */
async function commentsBelow(
  pull: NotionPull,
  placed: PlacedPage,
  { isOpen = false } = {},
): Promise<Comments> {
  const { reader, isFull, before } = pull;
  const { id } = placed.found;
  const partition = commentsOf(id);
  const hadComments = before.known.get(id)?.hasComments ?? false;
  const unread: Comments = {
    items: isFull && hadComments ? [lost(partition, NO_COMMENTS)] : [],
    hasComments: hadComments,
  };
  if (!pull.mayReadComments) return unread;
  const items: SourceItem[] = [];
  try {
    const comments = await wholeList(
      () => listComments(reader.http, id),
      (comment) => comment.id,
    );
    for (const comment of comments)
      items.push(upsert(await ofComment(reader, comment, placed), { partition }));
  } catch (error) {
    if (!isRefusal(error) || OF_THIS_PAGE.some((kind) => error instanceof kind)) throw error;
    // Several pages are read at the same time, and a person needs to know it once.
    if (!isOpen || !pull.mayReadComments) return unread;
    pull.mayReadComments = false;
    return { ...unread, items: [skip('comments', 'NotionComment', CLOSED), ...unread.items] };
  }
  const hasComments = items.length > 0;
  if (hasComments || hadComments) items.push(listed(partition));
  return { items, hasComments };
}
