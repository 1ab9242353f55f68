/**
 * This file makes an API key directly in the database, for an operator who has lost all keys. No permission is checked,
 * because such an operator can already read and write all data. The key belongs to the admin who has been in its
 * organization longest.
 *
 * Without the id of an organization, an admin key reaches every organization of its account, like the first key of an
 * installation.
 */
import type { Kysely } from 'kysely';
import { OPERATOR, record } from '../audit/act.ts';
import type { Schema } from '../db/schema.ts';
import { newId } from '../util.ts';
import type { NewApiKey } from './key-schema.ts';
import { insert } from './key-store.ts';
import { makeKey } from './make-key.ts';
import * as store from './store.ts';

const MAX_NAMED = 20;

export interface LocalKey {
  readonly key: string;
  readonly organization: { readonly id: string; readonly name: string };
}

/**
 * Without an id, the key belongs to the oldest organization. Throws an error with a sentence for the user when the
 * organization does not exist or has no admin.
 */
export async function makeLocalKey(
  db: Kysely<Schema>,
  { name, role }: Pick<NewApiKey, 'name' | 'role'>,
  organizationId: string | undefined,
): Promise<LocalKey> {
  return db.transaction().execute(async (tx) => {
    const found = await store.withAdmin(tx, organizationId);
    if (!found) throw new Error(await unknownOrganization(tx, organizationId));
    const { key, hash } = makeKey();
    const id = newId();
    await insert(tx, {
      id,
      organization_id: found.id,
      user_id: found.user_id,
      name,
      role,
      all_organizations: role === 'admin' && organizationId === undefined,
      hash,
      created_at: Date.now(),
    });
    await record(tx, [found.id], {
      action: 'api_key.created',
      actor: OPERATOR,
      address: null,
      target: { id, name, details: { role } },
    });
    return { key, organization: { id: found.id, name: found.name } };
  });
}

async function unknownOrganization(db: Parameters<typeof store.names>[0], id: string | undefined) {
  const oldest = await store.names(db, MAX_NAMED);
  if (oldest.length === 0)
    return 'the database has no organization yet: start Quarry once, which makes one and its first key';
  const list = oldest.map((one) => `${one.id} (${one.name})`).join(', ');
  return id === undefined
    ? `no organization has an admin: ${list}`
    : `no organization with an admin has the id '${id}': the oldest ones are ${list}`;
}
