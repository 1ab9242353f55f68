/** Makes requests of what a connector asks for, before they are signed. */
import { SourceError } from '../../errors.ts';
import type { CloudApi, ServicePlace } from '../api.ts';
import type { HeaderFields, Outgoing } from '../auth.ts';

type QueryValue = string | number | boolean | undefined;

export interface CloudRequest {
  /**
   * This is a path below the base URL, or a whole URL at an allowed origin, such as a service's link to the next page.
   */
  readonly path: string;
  /** The default is POST for a request with a body or a form, and GET for any other. */
  readonly method?: string;
  /** A parameter with several values is repeated. */
  readonly query?: Readonly<Record<string, QueryValue | readonly QueryValue[]>>;
  /** The body is sent as JSON. */
  readonly body?: unknown;
  readonly form?: HeaderFields;
  /** This text is sent as XML in place of a body. */
  readonly xml?: string;
  readonly headers?: HeaderFields;
  /**
   * If true, the path is a whole URL at any public host, such as the link to a file with a signature in it. Neither
   * credentials nor the headers of the source are sent.
   */
  readonly isUnsigned?: boolean;
  /**
   * If true, a 401 may concern the resource alone, so it does not make the sign-in renew its tokens. The caller finds out
   * what it concerns.
   */
  readonly isRefusalAmbiguous?: boolean;
  /** `http.file` takes an answer in JSON. The file is in this field of it, in Base64. */
  readonly base64In?: string;
}

export const ofAnyType = (asked: CloudRequest): CloudRequest => ({
  ...asked,
  headers: { accept: '*/*', ...asked.headers },
});

/** Neither the base URL nor the headers of the source are used. */
export function unsignedOf({ path }: CloudRequest): Outgoing {
  const url = URL.parse(path);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new SourceError(
      'skip',
      'the address of the file is neither an https nor an http address',
    );
  return { method: 'GET', url, headers: { accept: '*/*', 'user-agent': 'Quarry' }, body: null };
}

interface RequestDefaults extends Pick<CloudApi<never>, 'headers'>, Pick<ServicePlace, 'replaces'> {
  readonly base: URL;
  readonly origins: ReadonlySet<string>;
}

export function outgoingOf(
  { path, method, query = {}, body, form, xml, headers }: CloudRequest,
  { base, origins, replaces, headers: defaults }: RequestDefaults,
): Outgoing {
  const asked = new URL(path, base);
  const url = replaces?.includes(asked.origin)
    ? new URL(asked.pathname + asked.search, base)
    : asked;
  if (!origins.has(url.origin))
    throw new SourceError(
      'fatal',
      `${url.origin} is not an origin of this source: its requests go only to ${[...origins].join(', ')}`,
    );
  for (const [name, values] of Object.entries(query))
    for (const value of [values].flat())
      if (value !== undefined) url.searchParams.append(name, String(value));
  const json = body === undefined ? null : JSON.stringify(body);
  const content = form ? new URLSearchParams(form).toString() : (xml ?? json);
  const type = form
    ? 'application/x-www-form-urlencoded'
    : xml === undefined
      ? 'application/json'
      : 'application/xml; charset=utf-8';
  return {
    method: method ?? (content === null ? 'GET' : 'POST'),
    url,
    headers: {
      accept: 'application/json',
      'user-agent': 'Quarry',
      ...(content !== null && { 'content-type': type }),
      ...defaults,
      ...headers,
    },
    body: content,
  };
}
