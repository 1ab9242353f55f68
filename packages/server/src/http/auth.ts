/**
 * Authentication turns a key into the identity of its caller.
 *
 * Only the SHA-256 digest of a key is stored, and a key is found by an index on the digest. The time of a look-up may
 * reveal something about a digest, but nothing about a key, because a key is 256 random bits. A key has no more rights
 * than its account: its role is the lesser of the key's own role and the account's role in the organization.
 *
 * A key reaches its own organization. An admin key that was made with all_organizations can also reach, by the header
 * X-Organization-ID, any organization in which its account is an admin. Another admin key gets a 404 for another
 * organization. A key with a lower role gets a 403 for any use of the header.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import type { Ctx, Rights } from '../context.ts';
import { forbidden, notFound, unauthorized } from '../errors.ts';
import { sha256 } from '../model/hash.ts';
import { ROLES, type Role } from '../model/role.ts';
import { createLastUse } from './last-use.ts';

export interface FoundKey extends Rights {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** This is the role of the account in the organization of the key. */
  readonly membership: Role;
  readonly lastUsedAt: number | null;
  readonly account: Ctx['account'];
  readonly organization: Ctx['organization'];
}

/** The directory finds keys and stores when they were last used. */
export interface KeyDirectory {
  find(hash: string): Promise<FoundKey | undefined>;
  /** Returns the organization if the account is an admin in it. */
  administered(accountId: string, organizationId: string): Promise<Ctx['organization'] | undefined>;
  noteUse(keyId: string, at: number): Promise<void>;
}

/** This is the identity that the caller has proved by a key or a token. */
export type Identity = Pick<
  Ctx,
  'organization' | 'account' | 'role' | 'person' | 'session' | 'key' | 'isOperator' | keyof Rights
>;

export type Authenticate = (
  key: string | undefined,
  organizationId: string | undefined,
) => Promise<Identity>;

const WHERE_KEYS_COME_FROM =
  'the first start prints one, and more are made by an admin with POST /v1/api-keys, or by the command quarry keys create where the service runs';

export function createAuthentication(directory: KeyDirectory, log: Logger) {
  const lastUse = createLastUse(
    (id, at) => directory.noteUse(id, at),
    (error) => log.warn({ err: error }, 'the use of a key was not noted'),
  );

  const authenticate: Authenticate = async (key, organizationId) => {
    if (key === undefined)
      throw unauthorized(
        `give an API key, by Authorization: Bearer <key> or x-api-key: <key>; ${WHERE_KEYS_COME_FROM}`,
      );
    const hash = sha256(key);
    const found = await directory.find(hash);
    const now = Date.now();
    if (!found || (found.expiresAt !== null && found.expiresAt <= now))
      throw unauthorized(
        `this API key is unknown, expired or revoked: use another one; ${WHERE_KEYS_COME_FROM}`,
      );
    lastUse.note(found, now);
    const { id, name, account, searchAs, expiresAt, collections, organization: own } = found;
    const role = lesser(found.role, found.membership);
    const allOrganizations = role === 'admin' && found.allOrganizations;
    const rights = { allOrganizations, searchAs, expiresAt, collections };
    const who = { key: { id, name, hash }, account, role, ...rights, organization: own };
    if (organizationId === undefined) return who;
    if (role !== 'admin')
      throw forbidden('only an admin key may name an organization by X-Organization-ID');
    if (organizationId === own.id) return who;
    const organization = allOrganizations
      ? await directory.administered(account.id, organizationId)
      : undefined;
    if (!organization) throw notFound('organization', organizationId);
    return { ...who, organization };
  };

  return {
    authenticate,
    settled: lastUse.settled,
  };
}

const lesser = (a: Role, b: Role): Role => (ROLES.indexOf(a) < ROLES.indexOf(b) ? a : b);

/** Returns the key in `x-api-key`, or else in `Authorization: Bearer`. Every route accepts both headers. */
export function apiKeyOf(headers: IncomingHttpHeaders): string | undefined {
  const own = headers['x-api-key'];
  if (typeof own === 'string' && own !== '') return own;
  return /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
}

export function organizationIdOf(headers: IncomingHttpHeaders): string | undefined {
  const header = headers['x-organization-id'];
  return header === undefined ? undefined : String(header);
}
