/**
 * This file makes the first organization of a fresh installation. The e-mail of the owner is unique. When several
 * processes start at the same time, only one of them can insert the owner's account, and only that process makes the
 * organization.
 */
import type { Kysely } from 'kysely';
import type { ApiKeyTable, Schema, Tx } from '../db/schema.ts';
import { sha256 } from '../model/hash.ts';
import { newId } from '../util.ts';
import { authenticates, insert } from './key-store.ts';
import { makeKey } from './make-key.ts';
import { ALL_FEATURE_FLAGS } from './schema.ts';
import * as store from './store.ts';

/** The owner of a fresh installation has this e-mail. */
export const OWNER = 'owner@localhost';
const AGENTIC_QUERIES_PER_HOUR = 1000;

/** This is the result of `ensureFirstOrganization`. */
export interface First {
  /** If true, this start has made the first organization. */
  readonly created: boolean;
  /**
   * This is the admin key of a fresh installation: the given key, or a new one. It is null when an earlier start has
   * made the key.
   */
  readonly key: string | null;
  /**
   * If true, the given key does not authenticate an account: it was revoked or rotated, has expired, or never was a
   * key.
   */
  readonly isKeyRefused: boolean;
}

/**
 * Makes the first organization, its owner and its admin key, unless they exist. A given key becomes the first key of a
 * fresh installation. A later start only checks whether the given key is valid, so a revoked key stays revoked.
 */
export async function ensureFirstOrganization(
  db: Kysely<Schema>,
  { apiKey }: { apiKey?: string | undefined },
): Promise<First> {
  const made = await db.transaction().execute(async (tx) => {
    const ids = await createFirst(tx);
    if (!ids) return null;
    const { key, hash } = apiKey === undefined ? makeKey() : { key: apiKey, hash: sha256(apiKey) };
    await insert(tx, {
      ...ids,
      id: newId(),
      name: 'First key',
      role: 'admin',
      all_organizations: true,
      hash,
      created_at: Date.now(),
    });
    return key;
  });
  const isKeyRefused = made === null && apiKey !== undefined && !(await authenticates(db, apiKey));
  return { created: made !== null, key: made, isKeyRefused };
}

/** Makes the organization and its owner; returns undefined when an earlier start has done so. */
async function createFirst(
  tx: Tx,
): Promise<Pick<ApiKeyTable, 'organization_id' | 'user_id'> | undefined> {
  const now = Date.now();
  const user = newId();
  if (!(await store.insertUser(tx, { id: user, email: OWNER, name: null, created_at: now })))
    return undefined;
  const organization = newId();
  await store.insert(tx, {
    id: organization,
    name: 'My organization',
    feature_flags: JSON.stringify(ALL_FEATURE_FLAGS),
    quotas: JSON.stringify({ agentic_queries_per_hour: AGENTIC_QUERIES_PER_HOUR }),
    created_at: now,
    modified_at: now,
  });
  await store.insertMembership(tx, {
    organization_id: organization,
    user_id: user,
    role: 'admin',
    created_at: now,
  });
  return { organization_id: organization, user_id: user };
}
