/**
 * Follows the feeds of parts of Microsoft Graph (delta.ts). A part whose feed is lost, or says too little about what is
 * gone, is listed again, and what its listing lacks is deleted.
 *
 * But a record that the listing lacks may have moved to another part of the same space, whose feed was read before. So
 * the other feeds are followed once more before anything is deleted. If this does not show where all records are now, the
 * part keeps its old link, and the next pull lists it once more.
 */
import { listed, remove, type SourceItem } from '../items.ts';
import { unlessLost } from '../kit/listing.ts';
import {
  type DeltaCursor,
  type DeltaLinks,
  type DeltaMemory,
  isBelow,
  paced,
  saver,
} from './delta-cursor.ts';
import { type DeltaItems, follow, list } from './delta-feed.ts';
import { type DeltaPart, type DeltaReader, latestLink } from './delta-pages.ts';

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
  const isDue = paced(parts.length);
  for (const some of Map.groupBy(parts, ({ space, partition }) => space ?? partition).values())
    yield* renewTogether(reader, some, { links, names, save, isDue });
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

interface SavedLinks {
  readonly links: DeltaLinks;
  readonly names: DeltaCursor['names'];
  readonly save: () => SourceItem;
  readonly isDue: () => boolean;
}

/** This part was listed, and what the listing lacks is still to be deleted. */
interface ListedPart<Part> {
  readonly part: Part;
  /** The next pull goes on from here. */
  link: string;
  /** The feed has yielded these records before, and the listing has not met them. */
  readonly unmet: ReadonlySet<string>;
}

/** The parts are those of one space, or one part without a space. */
async function* renewTogether<Part extends DeltaPart, Item>(
  reader: DeltaReader<Part, Item>,
  parts: readonly Part[],
  saved: SavedLinks,
): DeltaItems<void> {
  const readable: Part[] = [];
  const listings: ListedPart<Part>[] = [];
  const keep = (one: ListedPart<Part>) => void listings.push(one);
  for (const part of parts)
    if (yield* unlessLost(part.partition, renew(reader, part, { ...saved, keep })))
      readable.push(part);
  const space = parts[0]?.space;
  if (listings.length === 0) return;
  if (space === undefined) yield* endListings(listings, new Set(), saved);
  else yield* unlessLost(space, closeListings(reader, space, { readable, listings, saved }));
}

async function* renew<Part extends DeltaPart, Item>(
  reader: DeltaReader<Part, Item>,
  part: Part,
  { links, names, save, isDue, keep }: SavedLinks & { keep: (listing: ListedPart<Part>) => void },
): DeltaItems<void> {
  const { partition, name = '' } = part;
  const isNamed = names[partition] === name;
  const feed = yield* follow(reader, part, {
    from: links[partition],
    mark: (link) => {
      links[partition] = link;
      return isDue() ? [save()] : [];
    },
  });
  if (feed.isComplete && isNamed) return;
  // This checkpoint stores no new link. It ends the batch of the feed.
  yield save();
  if (feed.isComplete) {
    // Records that are stored under another name must be read again. The feed tells which are gone.
    yield* list(reader, part, { isLost: true });
    names[partition] = name;
    yield save();
    return;
  }
  const start = feed.end ?? (await latestLink(reader, part));
  const isLost = feed.end === null || !isNamed;
  const end = yield* list(reader, part, { isLost, unmet: feed.met });
  keep({ part, link: start ?? end, unmet: feed.met });
}

interface OpenListings<Part> {
  readonly readable: readonly Part[];
  readonly listings: readonly ListedPart<Part>[];
  readonly saved: SavedLinks;
}

/** Follows the feeds of all parts once more, and then ends the listings. */
async function* closeListings<Part extends DeltaPart, Item>(
  reader: DeltaReader<Part, Item>,
  space: string,
  { readable, listings, saved }: OpenListings<Part>,
): DeltaItems<void> {
  const now = (await reader.partsIn?.(space)) ?? [];
  // A record may have moved to a part that this pull does not read yet.
  if (now.some(({ partition }) => saved.names[partition] === undefined)) return;
  const found: FoundAgain = { met: new Set(), isWhole: true };
  for (const part of readable) {
    const listing = listings.find((one) => one.part === part);
    const items = followAgain(reader, part, { listing, links: saved.links, found });
    yield* unlessLost(part.partition, items);
  }
  if (found.isWhole) yield* endListings(listings, found.met, saved);
}

interface FoundAgain {
  readonly met: Set<string>;
  /** If false, a feed was lost meanwhile. */
  isWhole: boolean;
}

interface FollowAgain<Part> {
  readonly listing: ListedPart<Part> | undefined;
  readonly links: DeltaLinks;
  readonly found: FoundAgain;
}

async function* followAgain<Part extends DeltaPart, Item>(
  reader: DeltaReader<Part, Item>,
  part: Part,
  { listing, links, found }: FollowAgain<Part>,
): DeltaItems<void> {
  const from = listing?.link ?? links[part.partition];
  const { met, end, isComplete } = yield* follow(reader, part, { from });
  for (const id of met) found.met.add(id);
  if (end === null) found.isWhole = false;
  else if (isComplete && listing) listing.link = end;
  else if (isComplete) links[part.partition] = end;
}

/** A sweep keeps what its pull has yielded, so records that are gone since then are removed one by one. */
function* endListings<Part extends DeltaPart>(
  listings: readonly ListedPart<Part>[],
  met: ReadonlySet<string>,
  { links, names, save }: SavedLinks,
): Generator<SourceItem, void, void> {
  for (const { part, link, unmet } of listings) {
    for (const id of unmet) if (!met.has(id)) yield remove(id);
    yield listed(part.partition);
    links[part.partition] = link;
    names[part.partition] = part.name ?? '';
    yield save();
  }
}
