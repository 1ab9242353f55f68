/**
 * Runs a server of models on this machine, with every protocol that Quarry uses. It reacts as a script says: it
 * answers, refuses, is slow or breaks off. `close` stops it.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as bodyOf } from 'node:stream/consumers';
import { nameOf, type Provider, type RemoteModel } from '../../providers.ts';
import { must } from '../../util.ts';
import { type Asked, PROTOCOLS, type Score } from './wire.ts';

export interface Call extends Asked {
  readonly provider: Provider;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** This is the body that the client sent. */
  readonly body: any;
}

export type Reaction =
  /** The server answers a chat with this text. An object is sent as JSON. */
  | { readonly says: string | object }
  | { readonly vectors: readonly (readonly number[])[] }
  /** The list has one score for each text, or objects that are sent unchanged. */
  | { readonly scores: readonly number[] | readonly Score[] }
  | {
      readonly status: number;
      readonly message?: string;
      readonly headers?: Record<string, string>;
    }
  /** The server sends this body with status 200, whatever the body contains. */
  | { readonly body: string }
  /** The server sends half of an answer and cuts the connection. */
  | 'cut'
  /** The server sends nothing until the client has disconnected. */
  | 'hang';

/** Returns undefined for the usual answer: vectors of the words of the texts, or scores by shared words. */
export type Script = (call: Call) => Reaction | undefined | Promise<Reaction | undefined>;

export interface ModelServer {
  readonly calls: readonly Call[];
  /** Returns this server as engines take a model. */
  remote(provider: Provider, model?: string, key?: string): RemoteModel;
  /** Returns this server as the settings name a model. */
  named(provider: Provider, model?: string): string;
  /** Resolves when a client has disconnected from a request without an answer. */
  readonly left: () => Promise<void>;
  close(): Promise<void>;
}

const PATHS: Readonly<Record<Provider, string>> = {
  openai: '/openai/v1',
  'openai-compatible': '/openai-compatible/v1',
  anthropic: '/anthropic/v1',
  google: '/google/v1beta',
  mistral: '/mistral/v1',
  cohere: '/cohere/v2',
  voyage: '/voyage/v1',
  ollama: '/ollama',
};
export const KEY = 'sk-test-0123456789abcdef';
const DIMENSIONS = 64;

export async function startModelServer(script: Script = () => undefined): Promise<ModelServer> {
  const calls: Call[] = [];
  let left = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    serve(request, response).catch((error: Error) => {
      response.writeHead(500).end(`the script broke: ${error.stack}`);
    });
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const address = request.url ?? '';
    const [provider, prefix] =
      (Object.entries(PATHS) as [Provider, string][]).find(([, path]) =>
        address.startsWith(`${path}/`),
      ) ?? [];
    if (!provider || !prefix) return void response.writeHead(404).end();
    const protocol = PROTOCOLS[provider];
    const path = address.slice(prefix.length);
    const answer = (status: number, body: object, headers: Record<string, string> = {}) =>
      void response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(body));
    const body = await bodyOf(request);
    const isKnown = Object.keys(protocol.paths).some((end) => path.endsWith(end));
    if (request.method !== 'POST' || !isKnown)
      return answer(404, protocol.failed(404, `nothing is at ${path}`));
    const unkeyed = protocol.unkeyed(request.headers);
    if (unkeyed) return answer(401, protocol.failed(401, unkeyed));

    const parsed = JSON.parse(body);
    const asked = protocol.read(parsed, path);
    const call = { ...asked, provider, path, headers: request.headers, body: parsed };
    calls.push(call);
    const reaction = (await script(call)) ?? ordinary(call);
    if (reaction === 'hang') {
      response.on('close', () => left.resolve());
      return;
    }
    if (reaction === 'cut') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"id": "half', () => response.destroy());
      return;
    }
    if ('body' in reaction) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(reaction.body);
      return;
    }
    if ('status' in reaction) {
      const { status, message = 'it does not work', headers } = reaction;
      return answer(status, protocol.failed(status, message), headers);
    }
    if ('says' in reaction) {
      const { says } = reaction;
      const text = typeof says === 'string' ? says : JSON.stringify(says);
      return answer(200, protocol.said(text, call.model));
    }
    if ('vectors' in reaction)
      return answer(200, must(protocol.embedded)(reaction.vectors, call.model));
    const scores = reaction.scores.map((score, index) =>
      typeof score === 'number' ? { index, relevance_score: score } : score,
    );
    // The vendors send the best score first.
    scores.sort((a, b) => b.relevance_score - a.relevance_score);
    answer(200, must(protocol.ranked)(scores, call.model));
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const { port } = server.address() as AddressInfo;
  const remote = (provider: Provider, model = 'model-1', key = KEY): RemoteModel => ({
    provider,
    model,
    url: `http://127.0.0.1:${port}${PATHS[provider]}`,
    ...(provider !== 'ollama' && { key }),
  });
  return {
    calls,
    remote,
    named(provider, model) {
      const at = remote(provider, model);
      return `${nameOf(at)}@${at.url}`;
    },
    left: async () => {
      await left.promise;
      left = Promise.withResolvers();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function ordinary(call: Call): Reaction {
  if (call.kind === 'embed')
    return { vectors: call.texts.map((text) => vectorOf(text, call.dimensions ?? DIMENSIONS)) };
  if (call.kind === 'chat') return { status: 400, message: 'the script says nothing to this' };
  const wanted = new Set(wordsOf(call.prompt));
  return {
    scores: call.texts.map((text) => {
      const words = wordsOf(text);
      return words.filter((word) => wanted.has(word)).length / Math.max(1, words.length);
    }),
  };
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/\p{L}+/gu) ?? [];

/** Texts with shared words have near vectors. The vectors are not unit vectors, as with some real models. */
export function vectorOf(text: string, dimensions: number): number[] {
  const vector = new Array<number>(dimensions).fill(0);
  for (const word of wordsOf(text)) {
    let hash = 7;
    for (const character of word) hash = (hash * 31 + character.charCodeAt(0)) >>> 0;
    vector[hash % dimensions]! += 3;
  }
  return vector;
}
