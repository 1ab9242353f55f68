/** Asks for the pages of a delta query, which a connector describes here. */
import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import { RequestFailure } from '../../net/request.ts';
import type { HeaderFields } from '../auth.ts';
import type { SourceItem } from '../items.ts';
import type { Http } from '../kit/http.ts';
import { pages } from '../kit/listing.ts';
import { optional } from './collection.ts';

export interface DeltaPart {
  readonly partition: string;
  /** The listing of the part begins at this path. */
  readonly path: string;
  /** This path gives the link to all later changes, without the items before them. Not every delta query has one. */
  readonly latestPath?: string;
  /** Everything in the part is shown with this name. When it changes, the part is listed again. */
  readonly name?: string;
  /**
   * Records move between the parts of a space, such as the folders of a mailbox, and keep their ids. The space is a
   * partition above its parts.
   */
  readonly space?: string;
}

/**
 * 'listing': records that look unchanged need not be read. 'again': every record must be read, since the feed is lost.
 * 'feed': the page tells changes, so every record must be read.
 */
export type DeltaReason = 'listing' | 'again' | 'feed';

export interface DeltaReader<Part extends DeltaPart, Item> {
  readonly http: Http;
  /** Where there are several, the later ones ask for smaller pages, and are used when a page is too large. */
  readonly headers: readonly HeaderFields[];
  readonly item: z.ZodType<Item>;
  read(part: Part, items: readonly Item[], reason: DeltaReason): AsyncIterable<SourceItem>;
  /** Returns the parts of a space as they are now. A reader whose parts have spaces must have it. */
  partsIn?(space: string): Promise<readonly Part[]>;
  /** Returns true for a change after which records of the part may be gone that the feed does not name. */
  isVague?(item: Item): boolean;
}

/** Returns the link to everything that changes from now on, or null where Graph gives none. */
export async function latestLink<Part extends DeltaPart, Item>(
  reader: DeltaReader<Part, Item>,
  part: Part,
): Promise<string | null> {
  let end: string | null = null;
  if (part.latestPath !== undefined)
    for await (const { page } of pagesFrom(reader, part, part.latestPath)) end = page.end;
  return end;
}

/** Yields page after page, from the link `from` on; null is the beginning. `end` is the link of the last page. */
export async function* pagesFrom<Part extends DeltaPart, Item>(
  { http, headers, item }: DeltaReader<Part, Item>,
  part: Part,
  from: string | null,
) {
  const Page = z.object({
    value: z.array(item),
    '@odata.nextLink': optional(z.string()),
    '@odata.deltaLink': optional(z.string()),
  });
  async function ask(path: string, smaller = 0): Promise<z.infer<typeof Page>> {
    try {
      return (await http.json({ path, headers: headers[smaller] ?? {} }, Page)).value;
    } catch (error) {
      if (smaller + 1 >= headers.length || !isTooLarge(error)) throw error;
      return ask(path, smaller + 1);
    }
  }
  yield* pages(from, async (link: string | null) => {
    const value = await ask(link ?? part.path);
    const { '@odata.nextLink': next, '@odata.deltaLink': end } = value;
    if (next === undefined && end === undefined)
      throw new SourceError(
        'fatal',
        `Microsoft Graph ended the list '${part.path}' without a link to later changes`,
      );
    // The next page is asked for at once, but the last link is stored, and used only by the next sync.
    if (end !== undefined) http.checkAddress(end);
    return { page: { items: value.value, end: end ?? '' }, next };
  });
}

const isTooLarge = (error: unknown): boolean =>
  error instanceof SourceError &&
  error.cause instanceof RequestFailure &&
  error.cause.fault === 'too_large';
