/** Asks for one address, and says what is there. */
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeHtml } from '../../documents/html.ts';
import { largestBytesOf } from '../../documents/kinds.ts';
import type { Omission } from '../../documents/omission.ts';
import { decodeText } from '../../documents/plain.ts';
import { SourceError } from '../../errors.ts';
import type { ResponseHeaders } from '../../net/guarded-send.ts';
import type { HeaderFields } from '../auth.ts';
import { LeftOutFile } from '../kit/file.ts';
import { addressOf, type Scope } from './address.ts';
import { type Client, type PageAnswer, typeOf } from './client.ts';
import type { Entry } from './frontier.ts';
import { knownCharset, listText, MAX_LIST_BYTES, readList, type SiteList } from './list.ts';
import type { Remembered } from './memory.ts';
import { type PageFacts, readPage, rulesIn } from './page.ts';
import { isDocumentType, isNamedDocument } from './records.ts';

/** No site has this page, so the answer to it is what the site answers for pages that it does not have. */
const MISSING_PAGE = '/quarry-asks-for-a-page-that-is-not-there';
/** A second look comes at least this long after the last first one. */
const SECOND_LOOK_MS = 2000;
const MAX_PAGE_BYTES = largestBytesOf('html');

export interface Validators {
  readonly etag: string | null;
  readonly modified: string | null;
}

export type Visit =
  | { readonly is: 'unchanged'; readonly last: Remembered }
  | {
      readonly is: 'page';
      readonly address: string;
      readonly html: string;
      readonly facts: PageFacts;
      readonly validators: Validators;
      /** The site answers with the same text for a page that it does not have. */
      readonly isLikeMissing: boolean;
    }
  | {
      readonly is: 'document';
      readonly type: string;
      readonly isIndexed: boolean;
      readonly validators: Validators;
    }
  | { readonly is: 'list'; readonly list: SiteList }
  /** A sitemap says when the page has changed, so it need not be asked for. */
  | { readonly is: 'listed'; readonly lastmod: string }
  /** The target is null when the redirect names no page. */
  | { readonly is: 'moved'; readonly to: string | null }
  | { readonly is: 'gone'; readonly status: number }
  | { readonly is: 'denied'; readonly status: number }
  | { readonly is: 'forbidden' }
  | { readonly is: 'textless' }
  | { readonly is: 'omitted'; readonly omission: Omission }
  | { readonly is: 'failed'; readonly error: SourceError };

export interface Site {
  readonly client: Client;
  readonly scope: Scope;
  readonly startHosts: ReadonlySet<string>;
  readonly signal: AbortSignal;
  readonly prints: Map<string, Promise<string | null>>;
  /** A page was last found gone at this time, in milliseconds since 1970. */
  goneAt: number;
}

type ToVisit = Pick<Entry, 'address' | 'kind' | 'lastmod' | 'isSecondLook'>;

/** Throws a SourceError when the host, and not only this address, cannot be read. */
export async function visit(
  site: Site,
  entry: ToVisit,
  last: Remembered | undefined,
): Promise<Visit> {
  const { address, kind, lastmod, isSecondLook } = entry;
  try {
    const robots = await site.client.robots(address);
    if (!robots.allows(address)) return { is: 'forbidden' };
    if (kind === 'leaf' && lastmod !== null && !isSecondLook) return { is: 'listed', lastmod };
    const pause = site.goneAt + SECOND_LOOK_MS - Date.now();
    if (isSecondLook && pause > 0) await sleep(pause, undefined, { signal: site.signal });
    return await look(site, { address, kind }, last);
  } catch (error) {
    if (error instanceof LeftOutFile) return { is: 'omitted', omission: error.omission };
    if (!(error instanceof SourceError)) throw error;
    // A further host that fails as a whole must not hold up the others.
    const isOfHost = error.kind === 'transient' && !site.startHosts.has(new URL(address).host);
    if (error.kind === 'skip' || isOfHost) return { is: 'failed', error };
    throw error;
  }
}

async function look(
  site: Site,
  { address, kind }: Pick<Entry, 'address' | 'kind'>,
  last: Remembered | undefined,
): Promise<Visit> {
  const mayBeList = kind === 'start' || kind === 'map';
  const answer = await site.client.get(address, {
    conditions: last && conditionsOf(last),
    wants: (type) =>
      mayBeList ? !isDocumentType(type) || type === 'text/plain' : isHtml(type, address),
    maxBytes: mayBeList ? MAX_LIST_BYTES : MAX_PAGE_BYTES,
  });
  if (answer.status === 304 && last) return { is: 'unchanged', last };
  if (mayBeList && answer.status < 300 && answer.isRead) {
    const list = await listIn(answer, site);
    if (list) return { is: 'list', list };
    if (kind === 'map') throw new SourceError('skip', `${address} is not a sitemap`);
  }
  return found(site, answer);
}

async function found(site: Site, answer: PageAnswer): Promise<Visit> {
  const { address, status, headers, body, isRead } = answer;
  const type = typeOf(headers);
  if ([301, 302, 303, 307, 308].includes(status))
    return { is: 'moved', to: addressOf(headers.get('location') ?? '', address) };
  if (status === 404 || status === 410) return { is: 'gone', status };
  if ([401, 402, 403, 451].includes(status)) return { is: 'denied', status };
  if (status >= 300) throw new SourceError('skip', `${address} answered ${status}`);
  const validators = validatorsOf(headers);
  if (isDocumentType(type) && !(isRead && looksLikeHtml(body))) {
    const rules = rulesIn(headers.get('x-robots-tag') ?? '');
    const isIndexed = !rules.has('noindex') && !rules.has('none');
    return { is: 'document', type, isIndexed, validators };
  }
  if (!isRead || !isHtml(type, address)) return { is: 'textless' };
  if (body.length > MAX_PAGE_BYTES) throw new LeftOutFile({ reason: 'too large' });
  const charset = knownCharset(
    /charset\s*=\s*"?([\w.:-]{1,40})/i.exec(headers.get('content-type') ?? '')?.[1],
  );
  const html = charset === undefined ? decodeHtml(body) : decodeText(body, charset);
  if (html === null) return { is: 'textless' };
  const facts = await readPage({ html, address, headers, signal: site.signal });
  const isLikeMissing = facts.print === (await printOfMissing(site, address));
  return { is: 'page', address, html, facts, validators, isLikeMissing };
}

/** Returns the print of the page that the site shows for addresses that it does not have, or null when it shows none. */
function printOfMissing(site: Site, address: string): Promise<string | null> {
  const { origin } = new URL(address);
  const known = site.prints.get(origin);
  if (known !== undefined) return known;
  const asked = askMissing(site, origin + MISSING_PAGE);
  site.prints.set(origin, asked);
  return asked;
}

async function askMissing({ client, signal }: Site, address: string): Promise<string | null> {
  if (!(await client.robots(address)).allows(address)) return null;
  try {
    const wants = (type: string) => isHtml(type, address);
    const { status, headers, body } = await client.get(address, {
      wants,
      maxBytes: MAX_PAGE_BYTES,
    });
    const html = status < 300 ? decodeHtml(body) : null;
    return html === null ? null : (await readPage({ html, address, headers, signal })).print;
  } catch (error) {
    const isOfPage =
      error instanceof LeftOutFile || (error instanceof SourceError && error.kind === 'skip');
    if (isOfPage) return null;
    throw error;
  }
}

async function listIn({ body, headers }: PageAnswer, { signal }: Site): Promise<SiteList | null> {
  const charset = /charset\s*=\s*"?([\w.:-]{1,40})/i.exec(headers.get('content-type') ?? '')?.[1];
  const text = await listText(body, knownCharset(charset));
  return text === null ? null : readList(text, signal);
}

/** A server that names no type sends a page, unless the name of the address is that of a document. */
const isHtml = (type: string, address: string): boolean =>
  type === 'text/html' ||
  type === 'application/xhtml+xml' ||
  (type === '' && !isNamedDocument(address));

const looksLikeHtml = (body: Buffer): boolean =>
  /^\s*<(?:!doctype html|html)[\s>]/i.test(body.subarray(0, 200).toString('latin1'));

/**
 * A time of change has seconds, so a page that has just changed may change again within the same one (RFC 9110, section
 * 8.8.2.2). Such a time is not kept.
 */
export function validatorsOf(headers: ResponseHeaders): Validators {
  const etag = headers.get('etag');
  const modified = headers.get('last-modified');
  if (etag !== null && /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]{0,500}"$/.test(etag))
    return { etag, modified };
  const age = Date.parse(headers.get('date') ?? '') - Date.parse(modified ?? '');
  return { etag: null, modified: age >= SECOND_LOOK_MS ? modified : null };
}

/**
 * Apache adds `-gzip` to the tag of a page that it compresses, and then compares the tag without it, so a page would
 * never count as unchanged. The tag without the ending names the same content.
 */
function conditionsOf({ etag, modified }: Validators): HeaderFields {
  const plain = etag?.replace(/-(?:gzip|br|deflate|zstd)"$/, '"');
  return {
    ...(etag !== null && { 'if-none-match': plain === etag ? etag : `${etag}, ${plain}` }),
    ...(modified !== null && { 'if-modified-since': modified }),
  };
}

/** The version of a record changes with its validators. Undefined means that the server sends none. */
export const versionOf = ({ etag, modified }: Validators): string | undefined =>
  etag ?? modified ?? undefined;
