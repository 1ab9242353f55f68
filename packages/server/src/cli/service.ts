/** This client asks the running service through its public API, as any other client would. */
import type { Config } from '../config.ts';

/** A service that listens on all addresses is reached at the loopback address. */
const ALL: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** The service answered with a status that does not mean success. */
export class ServiceRefused extends Error {
  override readonly name = 'ServiceRefused';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface ServiceClient {
  /** Gives the body of the answer. Throws ServiceRefused with the sentence of the service when it refuses. */
  call<Body>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Body>;
  /** Gives the events of a stream. Throws whatever breaks the stream. */
  events<Event>(path: string, signal: AbortSignal): AsyncGenerator<Event, void, void>;
}

/** Gives the address at which the service of this configuration is reached. */
export function addressOf({ QUARRY_HOST, QUARRY_PORT }: Config): string {
  const host = ALL[QUARRY_HOST] ?? QUARRY_HOST;
  return `http://${host.includes(':') ? `[${host}]` : host}:${QUARRY_PORT}`;
}

export function runningService(config: Config): ServiceClient {
  if (!config.QUARRY_API_KEY) throw new Error('set QUARRY_API_KEY to a key of the service');
  return serviceAt(addressOf(config), config.QUARRY_API_KEY, 'give --host and --port');
}

/** The `hint` tells the user how to give another address. */
export function serviceAt(address: string, key: string, hint: string): ServiceClient {
  const authorization = `Bearer ${key}`;

  /** Gives the response when it is a success of the wanted content type, and throws otherwise. */
  async function ask(path: string, type: string, request: RequestInit): Promise<Response> {
    const response = await reach(path, request);
    const given = response.headers.get('content-type') ?? '';
    if (response.ok && given.startsWith(type)) return response;
    if (response.ok || !given.startsWith(JSON_TYPE))
      throw new Error(`the server at ${address} is not Quarry: ${hint}`);
    const { detail } = (await response.json()) as { detail: Detail };
    throw new ServiceRefused(response.status, sentence(detail));
  }

  async function reach(path: string, request: RequestInit): Promise<Response> {
    try {
      return await fetch(`${address}${path}`, request);
    } catch (error) {
      throw new Error(`no Quarry answers at ${address}: start it, or ${hint}`, { cause: error });
    }
  }

  return {
    async call<Body>(method: string, path: string, body?: unknown) {
      const response = await ask(path, JSON_TYPE, {
        method,
        headers: { authorization, ...(body !== undefined && { 'content-type': JSON_TYPE }) },
        body: body === undefined ? null : JSON.stringify(body),
      });
      return (await response.json()) as Body;
    },
    async *events<Event>(path: string, signal: AbortSignal) {
      const headers = { authorization };
      const { body } = await ask(path, 'text/event-stream', { headers, signal });
      if (body) yield* eventsIn<Event>(body);
    },
  };
}

const JSON_TYPE = 'application/json';
type Detail = string | readonly { readonly msg: string }[];

const sentence = (detail: Detail): string =>
  typeof detail === 'string' ? detail : detail.map(({ msg }) => msg).join('; ');

/** Each event of our streams is one line of data; all other lines are comments or empty. */
async function* eventsIn<Event>(body: ReadableStream<Uint8Array>) {
  const decoder = new TextDecoder();
  let open = '';
  for await (const bytes of body) {
    const lines = (open + decoder.decode(bytes, { stream: true })).split('\n');
    open = lines.pop() ?? '';
    for (const line of lines)
      if (line.startsWith(DATA)) yield JSON.parse(line.slice(DATA.length)) as Event;
  }
}

const DATA = 'data: ';
