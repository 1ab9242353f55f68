/**
 * The process makes requests to its own API on behalf of a caller whom it knows already. The caller is a property of
 * the request object, under a symbol that only this file has: nothing that arrives over the network can set it.
 */
import type { IncomingMessage } from 'node:http';
import type { InjectOptions, Response } from 'light-my-request';
import type { Identity } from './auth.ts';
import type { App } from './server.ts';

export interface KnownCaller {
  /**
   * The signal of the caller's own request ends the request: one with a body does not notice that it was aborted.
   */
  readonly signal: AbortSignal;
  /** The identity is set when the caller has proved it by something other than a key. */
  readonly identity?: Identity;
}

const CALLER = Symbol('caller');

/** Answers the request as if the caller had sent it. */
export async function requestFor(
  caller: KnownCaller,
  app: App,
  request: InjectOptions,
): Promise<Response> {
  // Fastify's own `inject` shows the request object to nobody. Like Fastify, this loads the package when it is needed.
  const { inject } = await import('light-my-request');
  return inject(
    (raw, reply) => app.routing(Object.assign(raw, { [CALLER]: caller }), reply),
    request,
  );
}

/** Returns undefined for a request that came over the network. */
export const knownCaller = (raw: IncomingMessage & { [CALLER]?: KnownCaller }) => raw[CALLER];
