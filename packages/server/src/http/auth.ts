/**
 * Authentication turns a key into the identity of its caller.
 *
 * Only the SHA-256 digest of a key is stored, and it is looked up through an index: a key is 256 random bits, so
 * that what the time of a look-up reveals about a digest reveals nothing about a key. A key has no more rights than
 * the account behind it: its role is the lesser one of the key's role and the role of the membership.
 *
 * A key reaches its own organization. An admin key that was made with all_organizations acts for any organization
 * in which its account is an admin, by the header X-Organization-ID; for every other key those organizations do not
 * exist.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import type { Ctx, Rights } from '../context.ts';
import { forbidden, notFound, unauthorized } from '../errors.ts';
import { sha256 } from '../model/hash.ts';
import { ROLES, type Role } from '../model/role.ts';

export interface FoundKey extends Rights {
  readonly id: string;
  readonly role: Role;
  /** The account has this role in the organization of the key. */
  readonly membership: Role;
  readonly lastUsedAt: number | null;
  readonly account: Ctx['account'];
  readonly organization: Ctx['organization'];
}

/** The directory finds keys and notes their use. */
export interface KeyDirectory {
  find(hash: string): Promise<FoundKey | undefined>;
  /** Gives the organization if the account is an admin in it. */
  administered(accountId: string, organizationId: string): Promise<Ctx['organization'] | undefined>;
  noteUse(keyId: string, at: number): Promise<void>;
}

/** The caller has proved this identity. */
export type Identity = Pick<Ctx, 'organization' | 'account' | 'role' | 'person' | keyof Rights>;

export type Authenticate = (
  key: string | undefined,
  organizationId: string | undefined,
) => Promise<Identity>;

const WHERE_KEYS_COME_FROM =
  'the first start prints one, an admin makes more by POST /v1/api-keys, and so does quarry keys create where the service runs';

const NOTE_EVERY_MS = 60_000;

export function createAuthentication(directory: KeyDirectory, log: Logger) {
  /** These notes are being written now, by the id of their key. */
  const notes = new Map<string, Promise<void>>();

  /** Never delays the request and never makes it fail: a last-used time that is late is better than an error. */
  function noteUse({ id, lastUsedAt }: FoundKey, now: number): void {
    if (notes.has(id) || (lastUsedAt !== null && now - lastUsedAt < NOTE_EVERY_MS)) return;
    const note = directory
      .noteUse(id, now)
      .catch((error: unknown) => log.warn({ err: error }, 'the use of a key was not noted'))
      .finally(() => notes.delete(id));
    notes.set(id, note);
  }

  const authenticate: Authenticate = async (key, organizationId) => {
    if (key === undefined)
      throw unauthorized(
        `give an API key, by Authorization: Bearer <key> or x-api-key: <key>; ${WHERE_KEYS_COME_FROM}`,
      );
    const found = await directory.find(sha256(key));
    const now = Date.now();
    if (!found || (found.expiresAt !== null && found.expiresAt <= now))
      throw unauthorized(
        `this API key is unknown, expired or revoked: use another one; ${WHERE_KEYS_COME_FROM}`,
      );
    noteUse(found, now);
    const { account, searchAs, expiresAt, collections, organization: own } = found;
    const role = lesser(found.role, found.membership);
    const allOrganizations = role === 'admin' && found.allOrganizations;
    const rights = { allOrganizations, searchAs, expiresAt, collections };
    const who = { account, role, ...rights, organization: own };
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
    /** Waits until all notes have been written. */
    settled: async (): Promise<void> => {
      await Promise.all(notes.values());
    },
  };
}

const lesser = (a: Role, b: Role): Role => (ROLES.indexOf(a) < ROLES.indexOf(b) ? a : b);

/** Gives the key; every route accepts both headers. */
export function apiKeyOf(headers: IncomingHttpHeaders): string | undefined {
  const own = headers['x-api-key'];
  if (typeof own === 'string' && own !== '') return own;
  return /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
}

export function organizationIdOf(headers: IncomingHttpHeaders): string | undefined {
  const header = headers['x-organization-id'];
  return header === undefined ? undefined : String(header);
}
