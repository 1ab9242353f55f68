/** The requests and answers of WebDAV that a copy of calendars needs (RFC 4918, 4791, 5397, 6578). */
import { z } from 'zod';
import { SourceError, shown } from '../../errors.ts';
import type { Http } from '../kit/http.ts';
import { each, element, one, optional } from '../kit/xml.ts';

const Text = optional(z.string());
const Hrefs = optional(element({ href: each(z.string()) }));

const Properties = element({
  resourcetype: optional(element({ calendar: each(z.unknown()), collection: each(z.unknown()) })),
  displayname: Text,
  'current-user-principal': Hrefs,
  'calendar-home-set': Hrefs,
  getetag: Text,
  getctag: Text,
  getcontentlength: Text,
  'sync-token': Text,
  'calendar-data': Text,
});
type Properties = z.output<typeof Properties>;

const Multistatus = z.object({
  multistatus: one(
    element({
      response: each(
        element({
          href: one(z.string()),
          status: Text,
          propstat: each(element({ prop: one(Properties), status: one(z.string()) })),
        }),
      ),
      'sync-token': Text,
    }),
  ),
});

export interface DavResource {
  /** This is the path of the resource, as an absolute path at the server. */
  readonly path: string;
  /** This is the status of the resource itself, such as 404; of a found resource it is 200. */
  readonly status: number;
  readonly properties: Partial<Properties>;
  /** The server does not tell these properties, each with the status that says why. One that it lacks (404) is not here. */
  readonly withheld: Readonly<Record<string, number>>;
}

export interface DavAnswer {
  readonly resources: readonly DavResource[];
  readonly token: string | undefined;
}

const NAMESPACES =
  'xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav" xmlns:S="http://calendarserver.org/ns/"';
const HEAD = '<?xml version="1.0" encoding="utf-8"?>';

const NAMES = {
  data: '<C:calendar-data/>',
  etag: '<D:getetag/>',
  length: '<D:getcontentlength/>',
} as const;

/** Asks for properties of the resource, and with the depth 1 also of the resources in it. */
const propfind = (http: Http, path: string, depth: 0 | 1): Promise<DavAnswer> =>
  ask(http, path, {
    method: 'PROPFIND',
    depth,
    xml: `<D:propfind ${NAMESPACES}><D:prop><D:resourcetype/><D:displayname/><D:current-user-principal/><C:calendar-home-set/>${NAMES.etag}${NAMES.length}<S:getctag/><D:sync-token/></D:prop></D:propfind>`,
  });

/** Asks for what has changed since the token was given; an empty token asks for everything. */
export const syncCollection = (http: Http, path: string, token: string): Promise<DavAnswer> =>
  ask(http, path, {
    method: 'REPORT',
    depth: 0,
    xml: `<D:sync-collection ${NAMESPACES}><D:sync-token>${escaped(token)}</D:sync-token><D:sync-level>1</D:sync-level><D:prop><D:resourcetype/>${NAMES.etag}${NAMES.length}</D:prop></D:sync-collection>`,
  });

/** Asks for the contents of resources of a calendar. */
export const multiget = (http: Http, path: string, hrefs: readonly string[]): Promise<DavAnswer> =>
  ask(http, path, {
    method: 'REPORT',
    depth: 1,
    xml: `<C:calendar-multiget ${NAMESPACES}><D:prop>${NAMES.etag}${NAMES.data}</D:prop>${hrefs
      .map((href) => `<D:href>${escaped(href)}</D:href>`)
      .join('')}</C:calendar-multiget>`,
  });

interface Asked {
  readonly method: string;
  readonly depth: 0 | 1;
  readonly xml: string;
}

async function ask(http: Http, path: string, { method, depth, xml }: Asked): Promise<DavAnswer> {
  const { value } = await http.xml(
    { path, method, xml: HEAD + xml, headers: { depth: String(depth) } },
    Multistatus,
  );
  const { response, 'sync-token': token } = value.multistatus;
  const resources = response.map((found) => {
    const parts = found.propstat.map(({ prop, status }) => ({ prop, status: statusOf(status) }));
    return {
      path: pathOf(found.href),
      status: found.status === undefined ? 200 : statusOf(found.status),
      properties: Object.assign(
        {},
        ...parts.filter(({ status }) => status === 200).map(({ prop }) => prop),
      ) as Partial<Properties>,
      withheld: Object.fromEntries(
        parts
          .filter(({ status }) => !isFine(status) && !isGone(status))
          .flatMap(({ prop, status }) => Object.keys(prop).map((name) => [name, status])),
      ),
    };
  });
  return { resources, token };
}

export const isGone = (status: number): boolean => status === 404 || status === 410;
const isFine = (status: number): boolean => status >= 200 && status < 300;
/** The server has not told everything, and the next request goes on (RFC 6578, section 3.6). */
export const INCOMPLETE = 507;

/**
 * Returns why the server does not describe the resource, or this property of it, or undefined when it does. It may
 * refuse both within an answer that counts as a success (RFC 4918, sections 9.1 and 13).
 */
export function refusalIn(
  { path, status, withheld }: DavResource,
  property?: keyof Properties,
): SourceError | undefined {
  const refused = isFine(status) ? property && withheld[property] : status;
  if (refused === undefined) return undefined;
  const kind = refused >= 500 && refused !== INCOMPLETE ? 'transient' : 'skip';
  return new SourceError(kind, `the server answered ${refused} for '${shown(path)}'`);
}

/** Throws a SourceError when the server refuses the resource or this property of it. */
export async function described(
  http: Http,
  path: string,
  property?: keyof Properties,
): Promise<DavResource> {
  const [itself] = (await propfind(http, path, 0)).resources;
  return withoutRefusal(itself, path, property);
}

/**
 * Throws a SourceError when the server refuses the resource, and when the answer lacks it: the list of what is in the
 * resource would then not be whole.
 */
export async function listedIn(http: Http, path: string): Promise<readonly DavResource[]> {
  const { resources } = await propfind(http, path, 1);
  withoutRefusal(
    resources.find((one) => isSame(one.path, path)),
    path,
  );
  return resources;
}

function withoutRefusal(
  resource: DavResource | undefined,
  path: string,
  property?: keyof Properties,
): DavResource {
  if (!resource)
    throw new SourceError('skip', `the server answers without the resource '${shown(path)}'`);
  const refusal = refusalIn(resource, property);
  if (refusal) throw refusal;
  return resource;
}

/** A path may be written with or without a slash at its end, and with more or fewer signs encoded. */
const isSame = (a: string, b: string): boolean => plain(a) === plain(b);
const plain = (path: string): string => {
  const short = path.replace(/\/+$/, '');
  try {
    return decodeURIComponent(short);
  } catch {
    return short;
  }
};

/** A server may write a whole address. Only its path is used, so that no other server is asked. */
export function pathOf(href: string): string {
  const url = URL.parse(href.trim(), 'https://server.invalid/');
  if (!url)
    throw new SourceError('fatal', 'the server names a resource by something else than an address');
  return url.pathname;
}

/** A status is written as in HTTP: `HTTP/1.1 200 OK`. */
const statusOf = (line: string): number => Number(/^\S+ (\d{3})/.exec(line.trim())?.[1] ?? 0);

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
