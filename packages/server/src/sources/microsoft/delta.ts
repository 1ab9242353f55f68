/**
 * Copies parts of Microsoft Graph by their delta queries (https://learn.microsoft.com/graph/delta-query-overview). A part,
 * such as a drive or a mail folder, is a partition. It is listed from its start once, and later followed from the last
 * `@odata.deltaLink` (delta-changes.ts).
 *
 * - A link is stored only after its page has been yielded.
 * - When Graph has forgotten a link (410), this part is listed again, and no other.
 * - A change that says too little about what is gone (`isVague`) also lists its part again. The feed then goes on behind
 *   this change and not behind the listing, so that it tells what is deleted during the listing.
 * - A listing does not show everything that may have changed, such as who may see an item. So a full pull lists a part
 *   and then follows its feed. Where the feed is lost, every record is read again (`again`).
 * - A folder may be renamed or shared after the files below it were listed, so the feed from before the listing is
 *   followed after it. Where nothing is known of a feed yet, it begins at the latest change (`latestLink`).
 * - A record may move from a part that was still to be listed to one that was listed before, or to one that is new. So a
 *   full pull ends with the new parts of each space, and follows all feeds of the space once more.
 */
import { z } from 'zod';
import { bookmark, type SourceItem } from '../items.ts';
import { part as listedPart, unlessLost } from '../kit/listing.ts';
import {
  type DeltaCursor,
  type DeltaLinks,
  type DeltaMemory,
  namesOf,
  paced,
  saver,
  Texts,
  unseenParts,
} from './delta-cursor.ts';
import { type DeltaItems, follow, list } from './delta-feed.ts';
import { type DeltaPart, type DeltaReader, latestLink } from './delta-pages.ts';

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
/**
 * The partitions in `left` are still to be listed; `at` is the place in the first one. `names` has every part that the
 * attempts have known, because records of one that is gone by the next attempt may be stored already.
 */
const DeltaPlace = z.object({
  links: Texts,
  left: z.array(z.string()),
  names: Texts.default({}),
  at: ListedPlace.nullable(),
});

export async function* pullAll<Part extends DeltaPart, Item>(
  reader: DeltaReader<Part, Item>,
  parts: readonly Part[],
  from: {
    readonly lastCursor: DeltaCursor | null;
    readonly bookmark: unknown;
    /** These items name as lost what could not be searched for parts. */
    readonly unseen?: readonly SourceItem[];
    readonly memory?: DeltaMemory;
  },
): DeltaItems<void> {
  const begun =
    from.bookmark === null
      ? { links: {}, left: parts.map(({ partition }) => partition), names: {}, at: null }
      : DeltaPlace.parse(from.bookmark);
  const { links } = begun;
  // A part keeps the name that it had when its listing began.
  const names = {
    ...unseenParts(from.lastCursor, from.unseen ?? []),
    ...namesOf(parts),
    ...begun.names,
  };
  let { left, at } = begun;
  const isDue = paced(parts.length);
  const mark = (place: ListedPlace | null) =>
    isDue() ? [bookmark({ links: { ...links }, left, names: { ...names }, at: place })] : [];
  const lost = new Set<string>();
  for (const name of left) {
    const part = parts.find(({ partition }) => partition === name);
    const known = from.lastCursor?.links[name];
    const items = part && listAll(reader, part, { links, known, at, mark });
    if (items && !(yield* listedPart(name, items))) {
      delete links[name];
      lost.add(name);
    }
    left = left.slice(1);
    at = null;
    yield* mark(null);
  }
  for (const space of new Set(parts.flatMap((part) => part.space ?? [])))
    yield* unlessLost(space, meetMoved(reader, space, { links, names, lost }));
  yield saver({ links, names, memory: from.memory })();
}

interface EndOfListing {
  readonly links: DeltaLinks;
  readonly names: DeltaCursor['names'];
  /** These parts could not be listed. */
  readonly lost: ReadonlySet<string>;
}

async function* meetMoved<Part extends DeltaPart, Item>(
  reader: DeltaReader<Part, Item>,
  space: string,
  { links, names, lost }: EndOfListing,
): DeltaItems<void> {
  const parts = ((await reader.partsIn?.(space)) ?? []).filter((one) => !lost.has(one.partition));
  for (const part of parts) {
    const { partition, name = '' } = part;
    if (partition in links) continue;
    names[partition] = name;
    yield* listedPart(partition, listHere(reader, part, links));
  }
  for (const part of parts)
    if (part.partition in links)
      yield* unlessLost(part.partition, followMoved(reader, part, links));
}

async function* listHere<Part extends DeltaPart, Item>(
  reader: DeltaReader<Part, Item>,
  part: Part,
  links: DeltaLinks,
): DeltaItems<void> {
  links[part.partition] = yield* list(reader, part, { isLost: true });
}

async function* followMoved<Part extends DeltaPart, Item>(
  reader: DeltaReader<Part, Item>,
  part: Part,
  links: DeltaLinks,
): DeltaItems<void> {
  const { isComplete, end } = yield* follow(reader, part, { from: links[part.partition] });
  if (end === null) {
    yield* listHere(reader, part, links);
    // No feed tells what was deleted between the two listings. Without a link, the next pull lists the part once more
    // and deletes what is gone.
    delete links[part.partition];
  } else if (isComplete) links[part.partition] = end;
}

interface FullListing {
  readonly links: DeltaLinks;
  readonly known: string | undefined;
  readonly at: ListedPlace | null;
  readonly mark: (place: ListedPlace) => readonly SourceItem[];
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
    yield* mark(place);
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
    yield* mark(place);
  }
  // The link of the first listing stays, because something that it had may be deleted meanwhile.
  yield* list(reader, part, { from: place.page, isLost: true, mark: markPage });
}
