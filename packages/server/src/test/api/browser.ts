/** A browser keeps the cookie of a session, and says from which page its requests come. */
import assert from 'node:assert/strict';
import type { Answer, CallOptions, Method } from '../inject.ts';
import type { TestApi } from './harness.ts';

/** Tests reach the API by this name. */
export const ORIGIN = 'http://localhost';

export type TestBrowser = (method: Method, url: string, options?: CallOptions) => Promise<Answer>;

export function browserOf({ call }: Pick<TestApi, 'call'>, cookie: string): TestBrowser {
  return (method, url, options = {}) =>
    call(method, url, {
      ...options,
      key: null,
      headers: { cookie, origin: ORIGIN, ...options.headers },
    });
}

/** Returns the name and value of the cookie that an answer sets. */
export function cookieOf({ headers }: Pick<Answer, 'headers'>): string {
  return String(headers['set-cookie']).split(';')[0] ?? '';
}

/** Signs in with an e-mail and a password that belong together. */
export async function signInAt(
  api: Pick<TestApi, 'call'>,
  body: { readonly email: string; readonly password: string },
): Promise<TestBrowser> {
  const answer = await api.call('POST', '/v1/auth/sign-in', { key: null, body });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return browserOf(api, cookieOf(answer));
}
