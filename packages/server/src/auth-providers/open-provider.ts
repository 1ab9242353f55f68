/** Opens the credentials of an auth provider. They are read each time, so that new ones count at once. */
import type { Kysely } from 'kysely';
import type { Schema } from '../db/schema.ts';
import { SEALED_TABLES } from '../db/sealed-columns.ts';
import { openSealed, type Vault } from '../secrets.ts';
import { misconfigured } from './faults.ts';
import type { ProviderAccess, ProviderRef } from './kind.ts';
import { kindOf } from './kinds.ts';
import { sealedCredentials } from './store.ts';

export const placeOf = SEALED_TABLES.auth_providers.place;

/** Throws a SourceError 'config' when the provider is gone, or another key has sealed its credentials. */
export async function openProvider(
  { db, vault }: { readonly db: Kysely<Schema>; readonly vault: Vault },
  id: string,
  ref: ProviderRef,
): Promise<ProviderAccess<unknown>> {
  const row = await sealedCredentials(db, id);
  if (!row) throw misconfigured(ref, 'has been deleted');
  const { credentials: sealed, credentials_key: key } = row;
  const opened = openSealed(vault, { sealed, key, place: placeOf(id) });
  return { ref, credentials: kindOf(ref.shortName).credentials.parse(opened) };
}
