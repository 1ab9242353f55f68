/**
 * Makes pages of Microsoft Graph's listings and deltas, and the links between them. A link is whole and opaque: it is
 * followed as it was given, and what the first request has selected holds for all pages.
 */
import { createHash } from 'node:crypto';
import type { PeerRequest } from './cloud-peer.ts';
import { type GraphAllowed, type GraphQuery, readQuery } from './graph-query.ts';
import { type GraphRow, refuse } from './graph-refusal.ts';
import type { GraphSettings } from './graph-settings.ts';

interface GraphPlace {
  readonly path: string;
  readonly query: GraphQuery;
  /** It is the number of the last change that a delta has shown, or how many rows a listing has shown. */
  readonly at: number;
  /** These are the keys of all rows that a listing has shown. */
  readonly shown: ReadonlySet<string>;
  /** Rows that were deleted before this change do not come up. */
  readonly begun: number;
  readonly page: number;
  readonly isRepeated: boolean;
}

export interface GraphChange {
  /** Each change has a number that is greater than those of all earlier changes. */
  readonly seq: number;
  readonly isGone: boolean;
  row(query: GraphQuery): GraphRow;
  /** Returns an older state, which comes before the one that counts. */
  older?(query: GraphQuery): GraphRow;
}

export interface GraphKeyed {
  readonly key: string;
  row(query: GraphQuery): GraphRow;
}

interface GraphDeltaParts {
  readonly allowed: GraphAllowed;
  /** Lists the last changes of all rows, in their order. The query filters. */
  changes(query: GraphQuery): readonly GraphChange[];
  /** A page has at most this many rows. */
  readonly size?: number | undefined;
  /** The parameter of the links of drives is `token`. */
  readonly isDrive: boolean;
}

interface GraphListParts {
  readonly allowed: GraphAllowed;
  rows(query: GraphQuery): readonly GraphKeyed[];
  /** A page has this many rows when the request does not say. */
  readonly usual?: number;
  readonly size?: number | undefined;
  /** The code of the refusal of an old link. */
  readonly expired?: string;
}

/** A link of a page or of a later change has one of these parameters. */
export const GRAPH_TOKENS = ['token', '$skiptoken', '$deltatoken'];

export function makeGraphPager(settings: GraphSettings, baseUrl: () => string) {
  let places = new Map<string, GraphPlace>();
  /** The same place has the same link, so that a request that is repeated can be recognized, until links are forgotten. */
  let generation = 0;

  function link(place: GraphPlace, name: string): string {
    const token = createHash('sha256')
      .update(JSON.stringify([generation, name, place]))
      .digest('base64url')
      .slice(0, 16);
    places.set(token, place);
    return `${baseUrl()}${place.path}?${name}=${token}`;
  }

  const begin = (request: PeerRequest, allowed: GraphAllowed, begun: number): GraphPlace => ({
    path: request.url.pathname,
    query: readQuery(request, allowed),
    at: 0,
    shown: new Set(),
    begun,
    page: 0,
    isRepeated: false,
  });

  /** Returns the place of a link, or undefined for a first request. */
  function placeOf({ url }: PeerRequest, expired: (path: string) => never): GraphPlace | undefined {
    const names = [...url.searchParams.keys()];
    const name = names.find((one) => GRAPH_TOKENS.includes(one));
    const token = name === undefined ? '' : (url.searchParams.get(name) ?? '');
    if (name === undefined || token === '' || (name === 'token' && token === 'latest'))
      return undefined;
    if (names.length > 1) throw new Error(`the link ${url} was changed`);
    const place = places.get(token);
    if (place && place.path !== url.pathname)
      throw new Error(`the link of ${place.path} was asked at ${url.pathname}`);
    return place ?? expired(url.pathname);
  }

  /** The faults of settings change the page. */
  function pageOf(value: GraphRow[], page: number): GraphRow {
    return settings.withoutValue && page === 1 ? {} : { value };
  }

  return {
    delta(
      request: PeerRequest,
      { allowed, changes, size: wanted, isDrive }: GraphDeltaParts,
    ): GraphRow {
      const expired = (path: string): never => {
        const parameter = isDrive ? '' : '?$deltatoken=';
        const [code, inner] = isDrive
          ? ['410 resyncRequired', 'resyncChangesApplyDifferences']
          : ['410 SyncStateNotFound', 'resyncRequired'];
        return refuse(code as string, 'Resync required. Replace any local items.', {
          inner: inner as string,
          headers: { location: `${baseUrl()}${path}${parameter}` },
        });
      };
      const names = (isDrive ? ['token'] : ['$deltatoken']).concat(allowed.query ?? []);
      const place =
        placeOf(request, expired) ??
        begin(request, { ...allowed, query: names }, settings.lastChange());
      const { query, page } = place;
      const isLatest = request.url.searchParams.get('token') === 'latest';
      const left = isLatest
        ? []
        : changes(query).filter(
            ({ seq, isGone }) => seq > place.at && !(isGone && seq <= place.begun),
          );
      const size = Math.min(settings.largestPage, wanted ?? query.top ?? 200);
      const isEmpty = settings.emptyPages && page % 2 === 0 && left.length > 0;
      const shown = isEmpty ? [] : left.slice(0, size);
      const isLast = shown.length === left.length;
      const older = settings.repeatsItems ? (shown.at(-1)?.older?.(query) ?? null) : null;
      const repeats = settings.pagesTwice && !place.isRepeated && shown.length > 0;
      const next: GraphPlace = repeats
        ? { ...place, isRepeated: true }
        : {
            ...place,
            at: isLast ? settings.lastChange() : (shown.at(-1)?.seq ?? place.at),
            page: page + 1,
            isRepeated: false,
          };
      const isEnd = isLast && !repeats;
      return {
        ...pageOf([...(older ? [older] : []), ...shown.map((one) => one.row(query))], page),
        ...(isEnd
          ? {
              '@odata.deltaLink': link({ ...next, page: 0 }, isDrive ? 'token' : '$deltatoken'),
            }
          : { '@odata.nextLink': link(next, isDrive ? 'token' : '$skiptoken') }),
      };
    },
    list(request: PeerRequest, parts: GraphListParts): GraphRow {
      const { allowed, rows, usual = 100, expired = '400 invalidRequest' } = parts;
      const place =
        placeOf(request, () => refuse(expired, 'The token of the page is not valid.')) ??
        begin(request, allowed, 0);
      const { query, page } = place;
      const all = rows(query);
      const left = settings.shifts
        ? all.slice(place.at)
        : all.filter(({ key }) => !place.shown.has(key));
      const size = Math.min(settings.largestPage, parts.size ?? query.top ?? usual);
      const isEmpty = settings.emptyPages && page % 2 === 0 && left.length > 0;
      const shown = isEmpty ? [] : left.slice(0, size);
      const repeats = settings.pagesTwice && !place.isRepeated && shown.length > 0;
      const next: GraphPlace = repeats
        ? { ...place, isRepeated: true }
        : {
            ...place,
            at: place.at + shown.length,
            shown: new Set([...place.shown, ...shown.map(({ key }) => key)]),
            page: page + 1,
            isRepeated: false,
          };
      return {
        ...pageOf(
          shown.map((one) => one.row(query)),
          page,
        ),
        ...(query.isCounted && page === 0 && { '@odata.count': all.length }),
        ...((shown.length < left.length || repeats) && {
          '@odata.nextLink': link(next, '$skiptoken'),
        }),
      };
    },
    /** All links that were given so far end. */
    forget(): void {
      places = new Map();
      generation++;
    },
  };
}

export type GraphPager = ReturnType<typeof makeGraphPager>;
