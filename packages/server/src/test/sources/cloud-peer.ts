/**
 * Serves the fake of one cloud service on this machine. The server logs every request, and a test decides which
 * requests fail and how. So a fake only has to know its service.
 */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** A connector only reads, so none of its requests is longer than this. */
const MAX_BODY_BYTES = 2 ** 20;

export interface PeerRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The request arrived at this time, in milliseconds since 1970. */
  readonly at: number;
}

export interface PeerAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer | Readable;
}

/**
 * 'cut' sends half of the right answer and breaks the connection, and 'close' breaks it at once. 'hang' never answers. 'again' repeats the right
 * answer to the previous request of the same kind. Undefined lets the fake answer the request.
 */
export type PeerFault = PeerAnswer | 'cut' | 'close' | 'hang' | 'again' | undefined;

export interface CloudPeer {
  /** The address has no slash at its end. */
  readonly baseUrl: string;
  /** The list has all requests so far, in the order of their arrival. */
  readonly requests: PeerRequest[];
  /**
   * Decides how the request with this number fails; the first request has the number 0. A service does not repeat an
   * old listing: answers from before the function was set are not repeated, nor those from before a listing began, with
   * a request without a place or with the same one as before, nor those that do not name the place that is asked for.
   */
  fault: (request: PeerRequest, n: number) => PeerFault | Promise<PeerFault>;
  /** Throws the first error of the fake itself, because a connector takes such an error for a fault of the service. */
  close(): Promise<void>;
}

export const json = (
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): PeerAnswer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(value),
});

/**
 * `place` names the parameters that say which page of a listing is asked for, in the address or in the body. Requests
 * that differ in nothing else are of the same kind, for 'again'; a value in `others` asks for something else than a page.
 * `refusalAt` returns what the service answers at an address in place of a refusal of its API. The servers in
 * `beside` close with this one.
 */
export async function openCloudPeer(
  answer: (request: PeerRequest) => PeerAnswer | Promise<PeerAnswer>,
  {
    place = [],
    others = [],
    refusalAt = (_, refusal) => refusal,
    beside = [],
  }: {
    readonly place?: readonly string[];
    readonly others?: readonly string[];
    readonly refusalAt?: (request: PeerRequest, refusal: PeerAnswer) => PeerAnswer;
    readonly beside?: readonly Pick<CloudPeer, 'close'>[];
  } = {},
): Promise<CloudPeer> {
  const requests: PeerRequest[] = [];
  const before = new Map<string, PeerAnswer>();
  /** Each kind of listing began with this request. */
  const beginnings = new Map<string, string>();
  let decide: CloudPeer['fault'] = () => undefined;
  const errors: unknown[] = [];

  async function respond(request: PeerRequest, response: ServerResponse): Promise<void> {
    const fault = await decide(request, requests.push(request) - 1);
    if (fault === 'hang') return;
    if (fault === 'close') return void response.destroy();
    if (typeof fault === 'object') return send(response, refusalAt(request, fault));
    const places: string[] = [];
    const kind = kindOf(request, (name, value) => {
      const isPlace = place.includes(name) && !others.includes(value);
      if (isPlace && value) places.push(String(value));
      return isPlace;
    });
    const name = `${request.method} ${request.url} ${request.body}`;
    if (places.length === 0 || beginnings.get(kind) === name) before.delete(kind);
    else if (!beginnings.has(kind)) beginnings.set(kind, name);
    const last = before.get(kind);
    if (fault === 'again' && last && places.every((one) => leadsTo(last, one)))
      return send(response, last);
    const truth = await answer(request);
    // A stream can be sent only once.
    if (!(truth.body instanceof Readable)) before.set(kind, truth);
    return fault === 'cut' ? sendHalf(response, truth) : send(response, truth);
  }

  const server = createServer((incoming, response) => {
    const at = Date.now();
    void (async () => {
      const body = await bodyOf(incoming);
      if (body === null) return;
      const { method = 'GET', headers } = incoming;
      // A path may begin with two slashes, which would name a host in a relative address.
      const url = new URL(`http://${headers.host}${incoming.url}`);
      await respond({ method, url, headers, body, at }, response);
    })().catch((error: unknown) => {
      errors.push(error);
      response.destroy();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const peer: CloudPeer = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    get fault() {
      return decide;
    },
    set fault(fault) {
      decide = fault;
      before.clear();
      beginnings.clear();
    },
    async close() {
      await Promise.all(beside.map((one) => one.close()));
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
      if (errors.length > 0) throw errors[0];
    },
  };
  return peer;
}

/**
 * Returns false for the answer of another listing, which no service repeats: a feed and a listing may share an address. A
 * place that is a number is not named by the page before it.
 */
const leadsTo = ({ body }: PeerAnswer, place: string): boolean =>
  /^\d+$/.test(place) || String(body).includes(place);

function kindOf(
  { url, headers, body }: PeerRequest,
  isPlace: (name: string, value: string) => boolean,
): string {
  const others = (values: URLSearchParams) =>
    [...values].filter(([name, value]) => !isPlace(name, value));
  const type = headers['content-type'] ?? '';
  const fields = type.includes('json')
    ? JSON.parse(body, (name, value) => (isPlace(name, value) ? undefined : value))
    : type.includes('x-www-form-urlencoded')
      ? others(new URLSearchParams(body))
      : body;
  return JSON.stringify([url.host, url.pathname, others(url.searchParams), fields]);
}

/** Returns null when the client has broken the connection, so that nobody waits for an answer. */
async function bodyOf(incoming: AsyncIterable<Buffer> & { aborted: boolean }) {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of incoming) {
      bytes += piece.length;
      if (bytes > MAX_BODY_BYTES) throw new Error(`a request is longer than ${MAX_BODY_BYTES}`);
      pieces.push(piece);
    }
  } catch (error) {
    if (incoming.aborted) return null;
    throw error;
  }
  return Buffer.concat(pieces).toString();
}

async function send(response: ServerResponse, { status, headers, body }: PeerAnswer) {
  response.writeHead(status, headers);
  if (!(body instanceof Readable)) {
    response.end(body);
    return;
  }
  try {
    await pipeline(body, response);
  } catch (error) {
    // The client may stop a download that is too large, which is not a fault.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

async function sendHalf(response: ServerResponse, { status, headers, body }: PeerAnswer) {
  if (body instanceof Readable) {
    response.writeHead(status, headers);
    for await (const piece of body) {
      response.write(piece, () => response.destroy());
      return;
    }
  }
  const whole = Buffer.from(body as string | Buffer);
  response.writeHead(status, { ...headers, 'content-length': String(whole.length + 1) });
  response.write(whole.subarray(0, Math.max(1, whole.length / 2)), () => response.destroy());
}
