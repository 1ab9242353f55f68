/**
 * The first organization of a fresh install. The unique e-mail of its owner makes it one: of processes
 * that start at the same time a single one inserts the account, and with it all the rest.
 */
import type { Kysely } from 'kysely';
import type { Schema, Tx } from '../db/schema.ts';
import { sha256 } from '../model/hash.ts';
import { must, newId } from '../util.ts';
import { insertIfNew } from './key-store.ts';
import { makeKey } from './key-value.ts';
import { ALL_FEATURE_FLAGS } from './schema.ts';
import * as store from './store.ts';

const OWNER = 'owner@localhost';
const AGENTIC_QUERIES_PER_HOUR = 1000;

/**
 * `key` is the admin key of a fresh install, given or made; null when there is one already. A given key
 * works afterwards in any case: one that is new becomes a further admin key.
 */
export async function ensureFirstOrganization(
  db: Kysely<Schema>,
  { apiKey }: { apiKey?: string | undefined },
): Promise<{ created: boolean; key: string | null }> {
  return db.transaction().execute(async (tx) => {
    const created = await createFirst(tx);
    if (!created && apiKey === undefined) return { created, key: null };
    const { organization_id, user_id } = must(await store.firstOf(tx, OWNER));
    const { key, hash } = apiKey === undefined ? makeKey() : { key: apiKey, hash: sha256(apiKey) };
    await insertIfNew(tx, {
      id: newId(),
      organization_id,
      user_id,
      name: created ? 'First key' : 'QUARRY_API_KEY',
      role: 'admin',
      hash,
      created_at: Date.now(),
    });
    return { created, key: created ? key : null };
  });
}

async function createFirst(tx: Tx): Promise<boolean> {
  const now = Date.now();
  const user = newId();
  if (!(await store.insertUser(tx, { id: user, email: OWNER, name: null, created_at: now })))
    return false;
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
  return true;
}
