/**
 * The memory is what a crawl knows of its addresses. An interrupted crawl goes on from it (as a bookmark), and the next one
 * takes from it what spares requests (as a cursor): validators for conditional requests, and the links of pages that
 * have not changed. It is stored compressed, since the addresses and links of a site repeat each other.
 */
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { z } from 'zod';

/** A change of the way in which pages are read makes a new form, so that no page is taken for unchanged. */
const FORM = 1;

/**
 * A start is a page, a sitemap or a feed, whatever it answers with. A map is a sitemap in an index. Links of a page are
 * followed; those of a leaf, which a sitemap or a feed names, are not.
 */
export type EntryKind = 'start' | 'map' | 'page' | 'leaf';

/** How a visit has ended. Only the first four are told again by an answer that says that nothing has changed. */
export type Ending = 'record' | 'copy' | 'hub' | 'unindexed' | 'document' | 'none';

export interface KnownPage {
  readonly ending: Ending;
  readonly etag: string | null;
  readonly modified: string | null;
  /** Positions of addresses in the list of all. */
  readonly links: readonly number[];
  /** This page was visited at this depth; null when all of its links are kept, whatever its depth is. */
  readonly cutAt: number | null;
}

type StoredPage = readonly [
  ending: Ending,
  etag: string | null,
  modified: string | null,
  links: readonly number[],
  cutAt: number | null,
];

export interface StoredMemory {
  readonly form: typeof FORM;
  readonly addresses: readonly string[];
  readonly known: readonly (readonly [at: number, page: StoredPage])[];
  /** The rules of robots.txt by origin: links that they forbade are not kept. */
  readonly robots: Readonly<Record<string, string>>;
  readonly crawl?: {
    readonly entries: readonly (readonly [
      kind: EntryKind,
      depth: number,
      lastmod: string | null,
    ])[];
    readonly queues: readonly (readonly number[])[];
    readonly done: readonly number[];
    readonly incomplete: readonly string[];
    readonly cut: readonly string[];
  };
}

export const Packed = z.strictObject({ memory: z.string() });
export type Packed = z.output<typeof Packed>;

export async function pack(memory: StoredMemory): Promise<Packed> {
  const bytes = await promisify(deflateRaw)(JSON.stringify(memory), { level: 1 });
  return { memory: bytes.toString('base64') };
}

/**
 * Returns undefined for a memory of another form, which then is of no use. Only the form is checked, because we have
 * written the memory ourselves, and a schema would take seconds for that of a large site.
 */
export async function unpack(packed: unknown): Promise<StoredMemory | undefined> {
  const { memory } = Packed.parse(packed);
  const bytes = await promisify(inflateRaw)(Buffer.from(memory, 'base64'));
  const stored: StoredMemory = JSON.parse(bytes.toString());
  return stored.form === FORM ? stored : undefined;
}

export const emptyMemory: StoredMemory = { form: FORM, addresses: [], known: [], robots: {} };

export const toStored = ({ ending, etag, modified, links, cutAt }: KnownPage): StoredPage => [
  ending,
  etag,
  modified,
  [...links],
  cutAt,
];

/** This is what the last crawl knew of one address. Links are addresses here. */
export type Remembered = Omit<KnownPage, 'links'> & { readonly links: readonly string[] };

export function remembered({ addresses, known }: StoredMemory): Map<string, Remembered> {
  const pages = new Map<string, Remembered>();
  for (const [at, [ending, etag, modified, links, cutAt]] of known) {
    const address = addresses[at];
    if (address === undefined) continue;
    pages.set(address, {
      ...{ ending, etag, modified, cutAt },
      links: links.flatMap((link) => addresses[link] ?? []),
    });
  }
  return pages;
}
