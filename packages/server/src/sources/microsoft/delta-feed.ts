/** Lists one part of Microsoft Graph, or follows its feed of changes. */
import { SourceError } from '../../errors.ts';
import type { SourceItem } from '../items.ts';
import { type DeltaPart, type DeltaReader, pagesFrom } from './delta-pages.ts';

export type DeltaItems<Result> = AsyncGenerator<SourceItem, Result, void>;

interface FollowedFeed {
  /** If false, the part must be listed. */
  readonly isComplete: boolean;
  /** The feed goes on here; null means that it is lost. */
  readonly end: string | null;
  /** The feed has yielded items with these ids. */
  readonly met: Set<string>;
}

/** After a vague change no page is marked, so that an interrupted pull meets the change again. */
export async function* follow<Part extends DeltaPart, Item>(
  reader: DeltaReader<Part, Item>,
  part: Part,
  { from, mark }: { from: string | undefined; mark?: (link: string) => readonly SourceItem[] },
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
      if (isComplete && mark) yield* mark(end);
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
  /** The feed has yielded these records before. Those that the listing meets are taken out. */
  readonly unmet?: Set<string>;
  readonly mark?: (page: string) => readonly SourceItem[];
}

/** Returns the link from which the changes after the listing can be asked for. */
export async function* list<Part extends DeltaPart, Item>(
  reader: DeltaReader<Part, Item>,
  part: Part,
  { from = null, isLost, unmet, mark }: ListOptions,
): DeltaItems<string> {
  let link = '';
  for await (const { page, next } of pagesFrom(reader, part, from)) {
    for await (const item of reader.read(part, page.items, isLost ? 'again' : 'listing')) {
      unmet?.delete(idOf(item));
      yield item;
    }
    if (next !== null && mark) yield* mark(next);
    link = page.end;
  }
  return link;
}

/** Other items than records have no id. */
const idOf = (item: SourceItem): string =>
  item.kind === 'upsert' ? item.entity.id : 'id' in item ? item.id : '';
