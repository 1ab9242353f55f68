/**
 * Makes the links with which people sign in, and the secrets of a sign-in. The database has only their hashes. Links
 * and secrets have 256 random bits each, so their hashes need no salt.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { DatabaseKind } from '../../db/connect.ts';
import type { Tx } from '../../db/schema.ts';
import { sha256 } from '../../model/hash.ts';
import { type NewLink, ofConnection, putLink } from './store.ts';

export const CALLBACK_PATH = '/v1/source-connections/callback';
const LINK_PATH = '/v1/source-connections/authorize/';

export interface LinkDeps {
  readonly kind: DatabaseKind;
  /** Returns the origin at which browsers reach this service. The link and the callback are both there. */
  readonly origin: () => string;
}

export type SignInLinks = ReturnType<typeof createSignInLinks>;

export function createSignInLinks({ kind, origin }: LinkDeps) {
  async function make(tx: Tx, link: Omit<NewLink, 'linkHash'>): Promise<string> {
    const code = randomText();
    await putLink(tx, kind, { ...link, linkHash: sha256(code) });
    return `${origin()}${LINK_PATH}${code}`;
  }

  return {
    make,

    /** Makes a new link with the settings of the last one. */
    async renew(tx: Tx, { connectionId, email }: { connectionId: string; email: string }) {
      const last = await ofConnection(tx, connectionId);
      const redirectUri = last?.redirect_uri ?? null;
      return make(tx, { connectionId, redirectUri, startsSync: last?.starts_sync ?? true, email });
    },

    callback: () => `${origin()}${CALLBACK_PATH}`,
  };
}

export const randomText = (): string => randomBytes(32).toString('base64url');

/**
 * Returns the verifier of PKCE. It is made of the state and of the cookie, so it is not stored, and somebody who has seen
 * only the address of the callback cannot make it.
 */
export const verifierOf = (state: string, cookie: string): string =>
  createHmac('sha256', cookie).update(`pkce ${state}`).digest('base64url');

/** The sign-ins of several tabs have cookies of their own. */
export const cookieName = (stateHash: string): string => `quarry_sign_in_${stateHash.slice(0, 16)}`;

export function isSameHash(text: string, hash: string | null): boolean {
  if (hash === null) return false;
  return timingSafeEqual(Buffer.from(sha256(text)), Buffer.from(hash));
}
