/** This client calls the public API of the running service. */
import type { Agent, RequestInit, Response } from 'undici';
import type { Config } from '../config.ts';
import { isDataDirLocked } from '../db/lock.ts';
import { isLoopback } from '../net/addresses.ts';
import { loadHttpClient } from '../net/guarded-send.ts';
import { readCommandKey, readRunning } from './command-files.ts';
import { tlsFault } from './tls-fault.ts';

/** Maps each address that means "all addresses" to the loopback address at which the service can be reached. */
const LOOPBACK_FOR: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** The service answered with an error status. */
export class ServiceRefused extends Error {
  override readonly name = 'ServiceRefused';
  readonly status: number;
  readonly code: string;
  /** These are the paths in the request that a 422 finds fault with, such as body.config.path. */
  readonly places: readonly string[];

  constructor(status: number, { detail, code }: RefusalBody) {
    super(typeof detail === 'string' ? detail : detail.map(faultText).join('; '));
    this.status = status;
    this.code = code;
    this.places = typeof detail === 'string' ? [] : detail.map(({ loc }) => loc.join('.'));
  }
}

type ServiceMethod = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export interface ServiceClient {
  /**
   * Returns the body of the answer. Throws ServiceRefused with the message of the service when it answers with an
   * error.
   */
  call<Body>(method: ServiceMethod, path: string, body?: unknown): Promise<Body>;
  /** Yields the events of a stream; a body makes it a POST. Throws the error that breaks the stream. */
  events<Event>(
    path: string,
    signal: AbortSignal,
    body?: unknown,
  ): AsyncGenerator<Event, void, void>;
}

/**
 * Returns the address of a service with this configuration. A certificate has the public name of the service, and hardly ever
 * the address of this machine.
 */
export function addressOf({
  QUARRY_HOST,
  QUARRY_PORT,
  QUARRY_PUBLIC_URL,
  tls,
}: Pick<Config, 'QUARRY_HOST' | 'QUARRY_PORT' | 'QUARRY_PUBLIC_URL' | 'tls'>): string {
  if (tls && QUARRY_PUBLIC_URL !== undefined) return new URL(QUARRY_PUBLIC_URL).origin;
  const host = LOOPBACK_FOR[QUARRY_HOST] ?? QUARRY_HOST;
  if (tls) return `https://${isLoopback(host) ? 'localhost' : host}:${QUARRY_PORT}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${QUARRY_PORT}`;
}

/** Returns the port of an address, which is not in it when it is the usual one of its scheme. */
export function portIn(address: string): number {
  const { port, protocol } = new URL(address);
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

/**
 * Returns a client of the service that the settings name, or else of the one that runs with the data of this machine.
 * Throws an Error with a message for users when it finds no service or no key.
 */
export function runningService(config: Config): ServiceClient {
  const { address, key } = findService(config);
  return serviceAt(address, key, 'give --url');
}

interface FoundService {
  readonly address: string;
  readonly key: string;
  /** It is true when the service runs with the data of this machine. */
  readonly isOwn: boolean;
}

/** Throws an Error with a message for users when it finds no service or no key. */
export function findService(config: Config): FoundService {
  const own = ownAddress(config);
  const named = namedAddress(config);
  const address = named ?? own ?? addressOf(config);
  const key = keyFor(config, address);
  if (key !== undefined) return { address, key, isOwn: address === own };
  throw new Error(
    (named ?? own) === undefined
      ? `no Quarry runs with the data in ${config.QUARRY_DATA_DIR}: start it with 'quarry start', name another folder with --data-dir, or another service with --url and QUARRY_API_KEY`
      : `no key for ${address}: set QUARRY_API_KEY to a key of this service`,
  );
}

/** Returns the address that the settings name, or undefined when they name none. */
export const namedAddress = (config: Config): string | undefined =>
  config.QUARRY_URL ?? (config.isAddressSet ? addressOf(config) : undefined);

/** Returns the address of the service that runs with the data of this machine, or undefined when none does. */
export const ownAddress = ({ QUARRY_DATA_DIR }: Config): string | undefined =>
  // A service that was killed leaves its address behind, at which another program may listen by now.
  isDataDirLocked(QUARRY_DATA_DIR) ? readRunning(QUARRY_DATA_DIR)?.address : undefined;

/**
 * Returns the key of the settings, or else that of commands, which is sent only to the service that has made it. Returns
 * undefined when there is none for this address.
 */
export const keyFor = (config: Config, address: string): string | undefined =>
  config.QUARRY_API_KEY ??
  (address === ownAddress(config) ? readCommandKey(config.QUARRY_DATA_DIR) : undefined);

/** Returns a client of the service. `hint` is a part of its error messages: it says how to give another address. */
export function serviceAt(address: string, key: string, hint: string): ServiceClient {
  const authorization = `Bearer ${key}`;

  /** Returns the response if it is a success with the wanted content type. Throws otherwise. */
  async function ask(path: string, type: string, request: RequestInit): Promise<Response> {
    const response = await send(path, request);
    const given = response.headers.get('content-type') ?? '';
    if (response.ok && given.startsWith(type)) return response;
    if (response.ok || !given.startsWith(JSON_TYPE))
      throw new Error(`the server at ${address} is not Quarry: ${hint}`);
    throw new ServiceRefused(response.status, (await response.json()) as RefusalBody);
  }

  async function send(path: string, request: RequestInit): Promise<Response> {
    try {
      return await sendPatiently(`${address}${path}`, request);
    } catch (error) {
      const fault = tlsFault(error);
      if (fault !== null)
        throw new Error(
          `the certificate at ${address} is not trusted (${fault}): ${hint} with a name that the certificate has, and name the file of its authority in NODE_EXTRA_CA_CERTS if it is your own`,
          { cause: error },
        );
      throw new Error(`no Quarry answers at ${address}: start it, or ${hint}`, { cause: error });
    }
  }

  const withBody = (body: unknown) => ({
    headers: { authorization, ...(body !== undefined && { 'content-type': JSON_TYPE }) },
    body: body === undefined ? null : JSON.stringify(body),
  });

  return {
    async call<Body>(method: string, path: string, body?: unknown) {
      const response = await ask(path, JSON_TYPE, { method, ...withBody(body) });
      return (await response.json()) as Body;
    },
    async *events<Event>(path: string, signal: AbortSignal, body?: unknown) {
      const method = body === undefined ? 'GET' : 'POST';
      const request = { method, signal, ...withBody(body) };
      const stream = (await ask(path, 'text/event-stream', request)).body;
      if (stream) yield* eventsIn<Event>(stream);
    },
  };
}

let patientAgent: Agent | undefined;

/** A look of the doctor at a large collection takes longer than the five minutes in which the fetch of Node expects an answer. */
async function sendPatiently(url: string, request: RequestInit): Promise<Response> {
  const { Agent, fetch } = await loadHttpClient();
  patientAgent ??= new Agent({ headersTimeout: 0 });
  return fetch(url, { ...request, dispatcher: patientAgent });
}

const PAGE = 100;

/** Yields all items of a list that has pages. The path has no query. */
export async function* itemsOf<Item>(
  service: ServiceClient,
  path: string,
): AsyncGenerator<Item, void, void> {
  const joined = path.includes('?') ? '&' : '?';
  for (let skip = 0; ; skip += PAGE) {
    const page = await service.call<Item[]>('GET', `${path}${joined}skip=${skip}&limit=${PAGE}`);
    yield* page;
    if (page.length < PAGE) return;
  }
}

/** Returns all items of a list that has pages. */
export async function allOf<Item>(service: ServiceClient, path: string): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of itemsOf<Item>(service, path)) items.push(item);
  return items;
}

const JSON_TYPE = 'application/json';

interface RefusalBody {
  readonly detail: string | readonly ShownFault[];
  readonly code: string;
}

interface ShownFault {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
}

/**
 * These parts of a request contain fields. A message about such a part as a whole already says what it is about, so it
 * gets no name in front.
 */
const PARTS: readonly unknown[] = ['config', 'auth', 'direct', 'authentication', 'credentials'];

/** The message of a schema says what is wrong with a value, and the end of the path names the value. */
const faultText = ({ loc, msg }: ShownFault): string => {
  const field = loc.at(-1);
  return loc[0] === 'body' && loc.length > 1 && !PARTS.includes(field) ? `${field}: ${msg}` : msg;
};

/** Parses a stream of events. Each event of our streams is one line of data; all other lines are comments or empty. */
async function* eventsIn<Event>(body: ReadableStream<Uint8Array>) {
  const decoder = new TextDecoder();
  let unfinished = '';
  for await (const bytes of body) {
    const lines = (unfinished + decoder.decode(bytes, { stream: true })).split('\n');
    unfinished = lines.pop() ?? '';
    for (const line of lines)
      if (line.startsWith(DATA)) yield JSON.parse(line.slice(DATA.length)) as Event;
  }
}

const DATA = 'data: ';
