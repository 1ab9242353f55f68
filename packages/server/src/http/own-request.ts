/**
 * The process sends requests to its own API for a caller whom it has already authenticated. The caller is a property of
 * the request object, under a symbol that only this file has. So a request from the network cannot set the caller.
 */
import type { IncomingMessage } from 'node:http';
import type { InjectOptions, Response } from 'light-my-request';
import type { Identity } from './auth.ts';
import type { App } from './server.ts';

export interface KnownCaller {
  /**
   * This is the signal of the caller's own request. It ends the request to the API too, because a request with a body
   * does not notice by itself that its client has disconnected.
   */
  readonly signal: AbortSignal;
  /** The identity is set when the caller has proved it by a token and not by a key. */
  readonly identity?: Identity;
}

const CALLER = Symbol('caller');

/** Answers the request as if the caller had sent it. */
export async function requestFor(
  caller: KnownCaller,
  app: App,
  request: InjectOptions,
): Promise<Response> {
  // The `inject` of Fastify does not give access to the request object, so the package behind it is used directly. Like
  // Fastify, this function loads the package when it is first needed.
  const { inject } = await import('light-my-request');
  return inject(
    (raw, reply) => app.routing(Object.assign(raw, { [CALLER]: caller }), reply),
    request,
  );
}

/** Returns the caller of a request by `requestFor`, or undefined for a request from the network. */
export const knownCaller = (raw: IncomingMessage & { [CALLER]?: KnownCaller }) => raw[CALLER];
