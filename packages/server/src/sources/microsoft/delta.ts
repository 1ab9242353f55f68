/**
 * Copies parts of Microsoft Graph by their delta queries (https://learn.microsoft.com/graph/delta-query-overview). A part,
 * such as a drive or a mail folder, is a partition. It is listed from its start once, and later followed from the last
 * `@odata.deltaLink`.
 *
 * - A link is stored only after its page has been yielded.
 * - When Graph has forgotten a link (410), this part is listed again, and no other.
 * - A change that says too little about what is gone (`isVague`) also lists its part again. The feed then goes on behind
 *   this change and not behind the listing, so that it tells what is deleted during the listing.
 * - A listing does not show everything that may have changed, such as who may see an item. So a full pull lists a part
 *   and then follows its feed. Where the feed is lost, every record is read again (`again`).
 * - A folder may be renamed or shared after the files below it were listed, so the feed from before the listing is
 *   followed after it. Where nothing is known of a feed yet, it begins at the latest change (`latestLink`).
 */
import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import { bookmark, checkpoint, listed, remove, type SourceItem } from '../items.ts';
import { part as listedPart, unlessLost } from '../kit/listing.ts';
import { type DeltaPart, type DeltaReader, latestLink, pagesFrom } from './delta-pages.ts';

const Texts = z.record(z.string(), z.string());
type DeltaLinks = z.infer<typeof Texts>;
export const DeltaCursor = z.strictObject({
  /** The keys are partitions. */
  links: Texts,
  /** The parts had these names. */
  names: Texts,
  /** A connector remembers here what Graph does not tell again. */
  memory: Texts,
});
export type DeltaCursor = z.infer<typeof DeltaCursor>;
export type DeltaMemory = DeltaCursor['memory'];

/** Makes checkpoints of all that is known now. These objects change while the parts are read. */
const saver =
  ({ links, names, memory = {} }: Pick<DeltaCursor, 'links' | 'names'> & MaybeMemory) =>
  () =>
    checkpoint({
      links: { ...links },
      names: { ...names },
      memory: { ...memory },
    } satisfies DeltaCursor);
interface MaybeMemory {
  readonly memory?: DeltaMemory | undefined;
}

const namesOf = (parts: readonly DeltaPart[]): DeltaCursor['names'] =>
  Object.fromEntries(parts.map(({ partition, name = '' }) => [partition, name]));

/**
 * A part is listed from `page` on. When it has been listed, `end` is the link to what comes after the listing. If its feed
 * is lost, it is then listed once more, and every record is read again.
 */
const ListedPlace = z.object({
  page: z.string().nullable(),
  end: z.string().nullable(),
  /** The feed tells from here on what has changed since the listing began. */
  start: z.string().nullable(),
  isLost: z.boolean(),
});
type ListedPlace = z.infer<typeof ListedPlace>;
/** The partitions in `left` are still to be listed; `at` is the place in the first one. */
const DeltaPlace = z.object({
  links: Texts,
  left: z.array(z.string()),
  at: ListedPlace.nullable(),
});

type DeltaItems<Result> = AsyncGenerator<SourceItem, Result, void>;

export async function* pullAll<Part extends DeltaPart, Item>(
  reader: DeltaReader<Part, Item>,
  parts: readonly Part[],
  from: {
    readonly lastCursor: DeltaCursor | null;
    readonly bookmark: unknown;
    readonly memory?: DeltaMemory;
  },
): DeltaItems<void> {
  const begun =
    from.bookmark === null
      ? { links: {}, left: parts.map(({ partition }) => partition), at: null }
      : DeltaPlace.parse(from.bookmark);
  const { links } = begun;
  let { left, at } = begun;
  const mark = (place: ListedPlace | null) => bookmark({ links: { ...links }, left, at: place });
  for (const name of left) {
    const part = parts.find(({ partition }) => partition === name);
    const known = from.lastCursor?.links[name];
    const items = part && listAll(reader, part, { links, known, at, mark });
    if (items && !(yield* listedPart(name, items))) delete links[name];
    left = left.slice(1);
    at = null;
    yield mark(null);
  }
  if (reader.isMoving)
    for (const part of parts) yield* unlessLost(part.partition, followMoved(reader, part, links));
  yield saver({ links, names: namesOf(parts), memory: from.memory })();
}

async function* followMoved<Part extends DeltaPart, Item>(
  reader: DeltaReader<Part, Item>,
  part: Part,
  links: DeltaLinks,
): DeltaItems<void> {
  const { isComplete, end } = yield* follow(reader, part, { from: links[part.partition] });
  if (isComplete && end !== null) links[part.partition] = end;
}

interface FullListing {
  readonly links: DeltaLinks;
  readonly known: string | undefined;
  readonly at: ListedPlace | null;
  readonly mark: (place: ListedPlace) => SourceItem;
}

async function* listAll<Part extends DeltaPart, Item>(
  reader: DeltaReader<Part, Item>,
  part: Part,
  { links, known, at, mark }: FullListing,
): DeltaItems<void> {
  const begin = async (): Promise<ListedPlace> => {
    const start = known ?? (await latestLink(reader, part));
    return { page: null, end: null, start, isLost: false };
  };
  let place = at ?? (await begin());
  const markPage = (page: string) => mark({ ...place, page });
  if (place.end === null) {
    const isLost = known === undefined;
    const end = yield* list(reader, part, { from: place.page, isLost, mark: markPage });
    place = { ...place, page: null, end };
    yield mark(place);
  }
  const { start } = place;
  links[part.partition] = place.end ?? '';
  if (start === null) return;
  if (!place.isLost) {
    const feed = yield* follow(reader, part, { from: start });
    if (feed.end !== null) {
      // The listing may still have had what a vague change has deleted, so the next pull meets the change again.
      links[part.partition] = feed.isComplete ? feed.end : start;
      return;
    }
    place = { ...place, isLost: true };
    yield mark(place);
  }
  // The link of the first listing stays, because something that it had may be deleted meanwhile.
  yield* list(reader, part, { from: place.page, isLost: true, mark: markPage });
}

interface ChangesFrom {
  readonly cursor: DeltaCursor;
  /** These items name as lost what could not be searched for parts, so that its parts are not taken for gone. */
  readonly unseen?: readonly SourceItem[];
  readonly memory?: DeltaMemory;
}

export async function* pullChanges<Part extends DeltaPart, Item>(
  reader: DeltaReader<Part, Item>,
  parts: readonly Part[],
  { cursor, unseen = [], memory }: ChangesFrom,
): DeltaItems<void> {
  const links = { ...cursor.links };
  // A part keeps its earlier name and link until it has been read again, so that its records are not forgotten when it
  // goes before that.
  const names = { ...cursor.names };
  for (const { partition } of parts) names[partition] ??= '';
  const save = saver({ links, names, memory });
  for (const part of parts)
    yield* unlessLost(part.partition, renew(reader, part, { links, names, save }));
  // Records that have moved to another part are in that part by now.
  const existing = new Set(parts.map(({ partition }) => partition));
  // A part that could not be listed has a name and no link.
  for (const partition of new Set([...Object.keys(links), ...Object.keys(names)])) {
    if (existing.has(partition) || isBelow(partition, unseen)) continue;
    yield listed(partition);
    delete links[partition];
    delete names[partition];
  }
  yield save();
}

const isBelow = (partition: string, unseen: readonly SourceItem[]): boolean =>
  unseen.some((item) => item.kind === 'lost' && partition.startsWith(`${item.partition}/`));

interface SavedLinks {
  readonly links: DeltaLinks;
  readonly names: DeltaCursor['names'];
  readonly save: () => SourceItem;
}

async function* renew<Part extends DeltaPart, Item>(
  reader: DeltaReader<Part, Item>,
  part: Part,
  { links, names, save }: SavedLinks,
): DeltaItems<void> {
  const { partition, name = '' } = part;
  const feed = yield* follow(reader, part, {
    // Records that are stored under another name must be read again.
    from: names[partition] === name ? links[partition] : undefined,
    mark: (link) => {
      links[partition] = link;
      return save();
    },
  });
  if (feed.isComplete) return;
  // This checkpoint stores no new link. It ends the batch of the feed.
  yield save();
  const start = feed.end ?? (await latestLink(reader, part));
  const end = yield* list(reader, part, { isLost: feed.end === null, unmet: feed.met });
  yield listed(partition);
  links[partition] = start ?? end;
  names[partition] = name;
  yield save();
}

interface FollowedFeed {
  /** If false, the part must be listed. */
  readonly isComplete: boolean;
  /** The feed goes on here; null means that it is lost. */
  readonly end: string | null;
  /** The feed has yielded items with these ids. */
  readonly met: Set<string>;
}

/** After a vague change no page is marked, so that an interrupted pull meets the change again. */
async function* follow<Part extends DeltaPart, Item>(
  reader: DeltaReader<Part, Item>,
  part: Part,
  { from, mark }: { from: string | undefined; mark?: (link: string) => SourceItem },
): DeltaItems<FollowedFeed> {
  const met = new Set<string>();
  if (from === undefined) return { isComplete: false, end: null, met };
  let isComplete = true;
  let end = from;
  try {
    for await (const { page, next } of pagesFrom(reader, part, from)) {
      for await (const item of reader.read(part, page.items, 'feed')) {
        met.add(idOf(item));
        yield item;
      }
      if (page.items.some((item) => reader.isVague?.(item))) isComplete = false;
      end = next ?? page.end;
      if (isComplete && mark) yield mark(end);
    }
    return { isComplete, end, met };
  } catch (error) {
    if (!(error instanceof SourceError) || error.kind !== 'outdated') throw error;
    return { isComplete: false, end: null, met };
  }
}

interface ListOptions {
  readonly from?: string | null;
  /** If true, the feed is lost, so every record is read again. */
  readonly isLost: boolean;
  /**
   * The feed has yielded these records before. A sweep keeps what its pull has yielded, so those that the listing does
   * not meet are removed at its end.
   */
  readonly unmet?: Set<string>;
  readonly mark?: (page: string) => SourceItem;
}

/** Returns the link from which the changes after the listing can be asked for. */
async function* list<Part extends DeltaPart, Item>(
  reader: DeltaReader<Part, Item>,
  part: Part,
  { from = null, isLost, unmet = new Set(), mark }: ListOptions,
): DeltaItems<string> {
  let link = '';
  for await (const { page, next } of pagesFrom(reader, part, from)) {
    for await (const item of reader.read(part, page.items, isLost ? 'again' : 'listing')) {
      unmet.delete(idOf(item));
      yield item;
    }
    if (next !== null && mark) yield mark(next);
    link = page.end;
  }
  for (const id of unmet) yield remove(id);
  return link;
}

/** Other items than records have no id. */
const idOf = (item: SourceItem): string =>
  item.kind === 'upsert' ? item.entity.id : 'id' in item ? item.id : '';
