/**
 * Lists the spaces of a site, and what is in them.
 *
 * A full pull lists pages, blog posts, comments and attachments of the whole site, each kind by itself and in an order that
 * nothing changes: a page that moves to another space meanwhile is met nevertheless. Who may see them is asked for with the
 * same number of requests, by searches for the ids of each page of a listing.
 *
 * An incremental pull lists each kind from the last change on. These lists come from Confluence's database, so they show
 * every new version at once, to the millisecond. A search learns of changes late, and its times are minutes of the account's
 * time zone, so it only decides whether comments and attachments are worth a request: until it shows that one has changed,
 * the time from which they are listed stays.
 */
import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import { digestOf } from '../../model/hash.ts';
import { bookmark, checkpoint, fail, listed, lost, type SourceItem, upsert } from '../items.ts';
import { ahead } from '../kit/listing.ts';
import type { SpaceReaders } from './access.ts';
import type { SpaceAnswer } from './answer.ts';
import {
  type ConfluenceSite,
  changesOf,
  everythingOf,
  KINDS,
  type ListedKind,
  newestBelow,
  selfOf,
  spacesOf,
} from './api.ts';
import { type ConfluenceReader, openReader, partOf } from './reader.ts';
import { ofSpace, spaceId } from './records.ts';

/** A change may become visible this much later than its time says. */
const OVERLAP_MS = 60_000;
const CONCURRENCY = 4;

const Since = z.strictObject({
  /** Pages and blog posts are listed from this time on, in milliseconds of Confluence's clock. */
  contents: z.number(),
  /** Comments and attachments are listed from this time on. */
  below: z.number(),
});
/** The spaces are digests of what is copied of each, by their ids. */
export const ConfluenceCursor = z.strictObject({
  since: Since,
  spaces: z.record(z.string(), z.string()),
});
export type ConfluenceCursor = z.infer<typeof ConfluenceCursor>;

/** An interrupted full pull goes on with this page of this kind. */
const Position = z.object({
  at: z.number(),
  kind: z.enum(KINDS),
  place: z.string().nullable(),
  /** The account may not list these kinds. */
  refused: z.array(z.enum(KINDS)),
});
type Position = z.infer<typeof Position>;

export interface ConfluencePull {
  readonly site: ConfluenceSite;
  /** These are the keys of the chosen spaces. */
  readonly keys: readonly string[];
  readonly cursor: ConfluenceCursor | null;
  readonly bookmark: unknown;
}
type ConfluenceItems<Result = void> = AsyncGenerator<SourceItem, Result, void>;

export async function* pull({
  site,
  keys,
  cursor,
  bookmark: mark,
}: ConfluencePull): ConfluenceItems {
  // Without this, credentials that have ended would look like a site on which everything is gone.
  const { at } = await selfOf(site);
  const listing = await spacesOf(site, keys);
  const { spaces } = listing;
  if (spaces.length === 0) throw NO_SPACE;
  yield* missing(spaces, keys);
  const reader = openReader(site, listing);
  yield* cursor
    ? changes(reader, cursor, at)
    : everything(reader, at, Position.nullable().parse(mark));
}

export const NO_SPACE = new SourceError('config', 'the account sees no space of Confluence', {
  hint: 'Give the account permission to view the spaces that are to be copied.',
});
export const notSeen = (keys: readonly string[]): SourceError =>
  new SourceError('config', `the account sees no space with the key ${keys.join(', ')}`, {
    hint: 'Choose spaces by their keys, which stand in the addresses of their pages after /spaces/.',
  });

function* missing(spaces: readonly SpaceAnswer[], keys: readonly string[]) {
  for (const key of keys.filter((one) => !spaces.some((space) => space.key === one)))
    yield fail(`space/${key}`, 'ConfluenceSpace', notSeen([key]));
}

async function* everything(
  reader: ConfluenceReader,
  now: number,
  from: Position | null,
): ConfluenceItems {
  const at = from?.at ?? now;
  const unreadable = yield* spacesIn(reader, [...reader.spaces.values()]);
  const refused = new Map<ListedKind, SourceError>(from?.refused.map((kind) => [kind, NOT_LISTED]));
  for (const kind of KINDS.slice(from ? KINDS.indexOf(from.kind) : 0)) {
    const begin = kind === from?.kind ? from.place : null;
    const mark = (place: string | null) =>
      bookmark({ at, kind, place, refused: [...refused.keys()] });
    yield mark(begin);
    const error = yield* refusalOf(listing(reader, { kind, begin, mark }));
    if (error) refused.set(kind, error);
  }
  // The credentials may have ended meanwhile.
  await selfOf(reader.site);
  for (const { id } of reader.spaces.values()) yield* endOf(id, unreadable.get(id), refused);
  const since = { contents: at - OVERLAP_MS, below: at - OVERLAP_MS };
  yield checkpoint({ since, spaces: digestsOf(reader) } satisfies ConfluenceCursor);
}
const NOT_LISTED = new SourceError('skip', 'an earlier attempt could not list it');

async function* listing(
  reader: ConfluenceReader,
  {
    kind,
    begin,
    mark,
  }: { kind: ListedKind; begin: string | null; mark: (place: string) => SourceItem },
): ConfluenceItems {
  for await (const { page, next } of everythingOf(reader.site, kind, begin)) {
    yield* await reader.stubsOf(kind, page);
    if (next !== null) yield mark(next);
  }
}

/** Yields the items. Returns the error when the account may not list them. */
async function* refusalOf(items: ConfluenceItems): ConfluenceItems<SourceError | null> {
  try {
    yield* items;
    return null;
  } catch (error) {
    if (error instanceof SourceError && error.kind === 'skip') return error;
    throw error;
  }
}

function* endOf(
  id: string,
  unreadable: SourceError | undefined,
  refused: ReadonlyMap<ListedKind, SourceError>,
): Generator<SourceItem> {
  const whole = unreadable ?? refused.get('page') ?? refused.get('blogpost');
  if (whole) yield lost(partOf(id, 'page'), whole);
  else yield listed(partOf(id, 'page'));
  for (const kind of ['footer', 'inline', 'attachment'] as const) {
    const error = unreadable ?? refused.get(kind);
    yield error ? lost(partOf(id, kind), error) : listed(partOf(id, kind));
  }
}

async function* changes(
  reader: ConfluenceReader,
  { since, spaces: known }: ConfluenceCursor,
  at: number,
): ConfluenceItems {
  const digests = digestsOf(reader);
  const changed = [...reader.spaces.values()].filter(({ id }) => digests[id] !== known[id]);
  // Nothing in a space changes when the account comes to see it, so only a full pull finds what is there.
  if (
    changed.some(({ id, createdAt }) => !(id in known) && Number(createdAt ?? 0) < since.contents)
  )
    throw new SourceError('outdated', 'the account sees an older space for the first time');
  yield* spacesIn(reader, changed);
  yield* changesIn(reader, ['page', 'blogpost'], since.contents);
  const contents = at - OVERLAP_MS;
  let { below } = since;
  const newest = await newestBelow(reader.site);
  if (newest !== null && newest >= below) {
    yield* changesIn(reader, ['footer', 'inline', 'attachment'], below);
    below = contents;
  }
  yield checkpoint({ since: { contents, below }, spaces: digests } satisfies ConfluenceCursor);
}

async function* changesIn(
  reader: ConfluenceReader,
  kinds: readonly ListedKind[],
  since: number,
): ConfluenceItems {
  for (const kind of kinds)
    for await (const page of changesOf(reader.site, kind, since))
      yield* await reader.stubsOf(kind, page);
}

/** Yields the spaces, and returns those that the account may not read. */
async function* spacesIn(
  { access, url }: ConfluenceReader,
  spaces: readonly SpaceAnswer[],
): ConfluenceItems<ReadonlyMap<string, SourceError>> {
  const unreadable = new Map<string, SourceError>();
  const read = async (space: SpaceAnswer) => {
    const readers: SpaceReaders | SourceError = await access
      .readersOf(space)
      .catch((error: unknown) => {
        if (error instanceof SourceError && error.kind === 'skip') return error;
        throw error;
      });
    return { space, readers };
  };
  for await (const { space, readers } of ahead(spaces, CONCURRENCY, read)) {
    const partition = partOf(space.id, 'page');
    if (readers instanceof SourceError) {
      unreadable.set(space.id, readers);
      yield fail(spaceId(space), 'ConfluenceSpace', readers);
    } else yield upsert(ofSpace(space, { url, isPublic: readers.isPublic }), { partition });
  }
  return unreadable;
}

const digestsOf = ({ spaces }: ConfluenceReader): Record<string, string> =>
  Object.fromEntries(
    [...spaces.values()].map(({ id, key, name, description }) => [
      id,
      digestOf([key, name, description]).slice(0, 12),
    ]),
  );
