/**
 * The cookie of a session. Scripts cannot read it, and a browser sends it only with requests of our own pages. A request
 * by cookie that changes something must also name one of our own origins, because a browser may be old, and because
 * another service on the same host counts as the same site.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { forbidden } from '../errors.ts';

const READING = ['GET', 'HEAD', 'OPTIONS'];

export interface CookiePlace {
  /** Returns the origin at which browsers reach the service. */
  readonly origin: () => string;
}

/** Browsers take a cookie with the prefix only from this host and over https, so no neighbouring host can set it. */
const nameAt = (place: CookiePlace): string =>
  isHttps(place) ? '__Host-quarry_session' : 'quarry_session';

export function sessionTokenOf(
  { cookie }: IncomingHttpHeaders,
  place: CookiePlace,
): string | undefined {
  return (cookie !== undefined && parseCookie(cookie)[nameAt(place)]) || undefined;
}

/** The browser forgets the cookie with `maxAgeMs` 0. */
export function setSessionCookie(
  reply: FastifyReply,
  place: CookiePlace,
  { token, maxAgeMs }: { readonly token: string; readonly maxAgeMs: number },
): void {
  const cookie = stringifySetCookie({
    name: nameAt(place),
    value: token,
    path: '/',
    httpOnly: true,
    sameSite: 'strict',
    secure: isHttps(place),
    maxAge: Math.floor(maxAgeMs / 1000),
  });
  void reply.header('set-cookie', cookie);
}

/** Throws a 403 for a request that changes something and comes from a page of somebody else, or of nobody. */
export function needOwnOrigin(req: FastifyRequest, place: CookiePlace): void {
  if (!READING.includes(req.method) && !isOwn(req, place, req.headers.origin))
    throw forbidden('a request with the cookie of a session must come from a page of this service');
}

/** Throws a 403 when a page of somebody else sends the request. Programs without pages send no origin. */
export function refuseForeignPage(req: FastifyRequest, place: CookiePlace): void {
  const { origin } = req.headers;
  if (origin !== undefined && !isOwn(req, place, origin))
    throw forbidden('this request comes from a page of another service');
}

/**
 * A person may reach the service by other names than the public one, such as 127.0.0.1. Where the public one is https,
 * only those of this machine count: anybody in the network can answer for a page of http, and for a name that is not
 * ours.
 */
function isOwn(
  { host, hostname }: FastifyRequest,
  place: CookiePlace,
  given: string | undefined,
): boolean {
  if (given === undefined) return false;
  if (given === place.origin()) return true;
  const isOfHost = given === `http://${host}` || given === `https://${host}`;
  return isOfHost && (!isHttps(place) || LOOPBACK.test(hostname));
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

const isHttps = ({ origin }: CookiePlace): boolean => origin().startsWith('https:');
