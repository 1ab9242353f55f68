/**
 * Finds the service, key and collection to set up. They come from the options, or else from environment variables. When
 * neither names a collection, the service is asked for its collections.
 */
import { type Config, readConfig } from '../../config.ts';
import { addressOf, serviceAt } from '../service-client.ts';
import type { ServiceTarget } from './connection.ts';

export interface TargetFlags {
  readonly apiKey?: string;
  readonly collection?: string;
  readonly baseUrl?: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** The message names at most this many collections when there are several. */
const MAX_NAMED = 20;

/**
 * Throws an Error with a message for users when something is missing, when the service does not answer or does not have
 * the collection, or when the user must choose between several collections.
 */
export async function targetOf(flags: TargetFlags, env: Env): Promise<ServiceTarget> {
  const config = readConfig(env);
  const address = addressFrom(flags, env, config);
  const key = flags.apiKey ?? nonEmpty(env.SERVICE_API_KEY) ?? config.QUARRY_API_KEY;
  if (!key) throw new Error('which key? Give --api-key, or set SERVICE_API_KEY or QUARRY_API_KEY');
  const service = serviceAt(address, key, 'give --base-url, or --host and --port');
  const wanted = flags.collection ?? nonEmpty(env.SERVICE_COLLECTION);
  if (wanted !== undefined) {
    // This call fails for a wrong name or key, so the user learns of the mistake before any file is written.
    await service.call('GET', `/v1/collections/${encodeURIComponent(wanted)}`);
    return { address, key, collection: wanted };
  }
  const path = `/v1/collections?limit=${MAX_NAMED}`;
  const names = (await service.call<{ readable_id: string }[]>('GET', path)).map(
    ({ readable_id }) => readable_id,
  );
  const [only] = names;
  if (only === undefined) throw new Error(`${address} has no collection yet: create one`);
  if (names.length > 1)
    throw new Error(`which collection? Give --collection with one of: ${names.join(', ')}`);
  return { address, key, collection: only };
}

function addressFrom({ baseUrl }: TargetFlags, env: Env, config: Config): string {
  const address = baseUrl ?? nonEmpty(env.SERVICE_BASE_URL) ?? addressOf(config);
  const bare = address.replace(/\/+$/, '');
  if (!URL.canParse(bare) || !/^https?:$/.test(new URL(bare).protocol))
    throw new Error(`'${address}' is not an address: give one such as http://127.0.0.1:8099`);
  return bare;
}

/** An empty variable counts as not set. */
const nonEmpty = (text: string | undefined) => text?.trim() || undefined;
