/**
 * Each entry gets a key of its own, which only reads and is named after its assistant, so that the list of keys shows who
 * searches, and revoking one key ends one assistant. Only a key of an admin can make such a key; another key is written
 * into the entry itself.
 */
import { ServiceRefused } from '../service-client.ts';
import type { AssistantClient } from './clients.ts';
import type { InstallTarget } from './target.ts';

/** This is a key that the command has made for an entry. */
export interface RecordedKey {
  readonly address: string;
  readonly id: string;
  readonly name: string;
}

export interface EntryKey {
  readonly key: string;
  /** This is undefined when the command has made no key. */
  readonly made?: RecordedKey;
}

/** The entry is shown with this key before the key is made. */
export const KEY_TO_COME = 'a-new-key-that-only-reads';

export async function mayMakeKeys({ service }: InstallTarget): Promise<boolean> {
  try {
    await service.call('GET', '/v1/api-keys?limit=1');
    return true;
  } catch (error) {
    if (error instanceof ServiceRefused && error.status === 403) return false;
    throw error;
  }
}

/** `entry` is the name of the entry in the assistant's file. */
export async function makeKey(
  { address, service, collection }: InstallTarget,
  { title }: AssistantClient,
  entry: string,
): Promise<EntryKey> {
  const name = entry === 'quarry' ? title : `${title} (${entry})`;
  const limits = collection === undefined ? {} : { collections: [collection] };
  const body = { name, role: 'read', ...limits };
  const { id, key } = await service.call<{ id: string; key: string }>('POST', '/v1/api-keys', body);
  return { key, made: { address, id, name } };
}

/** Revokes the key. Returns false when the service does not do it, so that the user has to. */
export async function revoked(
  target: Pick<InstallTarget, 'address' | 'service'>,
  { address, id }: RecordedKey,
): Promise<boolean> {
  // A key of another service must not be asked for here, because its id means nothing there.
  if (target.address !== address) return false;
  try {
    await target.service.call('DELETE', `/v1/api-keys/${id}`);
    return true;
  } catch (error) {
    // Somebody may have revoked it before.
    return error instanceof ServiceRefused && error.status === 404;
  }
}
