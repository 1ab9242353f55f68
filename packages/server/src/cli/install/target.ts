/**
 * Finds the service, key and collection to set up. They come from the options, or else from environment variables, or
 * else from the service that runs with the data of this machine.
 */
import { type Config, readConfig } from '../../config.ts';
import {
  addressOf,
  keyFor,
  namedAddress,
  ownAddress,
  type ServiceClient,
  serviceAt,
} from '../service-client.ts';

export interface TargetFlags {
  readonly apiKey?: string;
  readonly collection?: string;
  readonly baseUrl?: string;
}

export interface InstallTarget {
  /** The address of the service has no slash at its end. */
  readonly address: string;
  /** This is the key that the command has. */
  readonly key: string;
  /** This is the readable_id of the collection; undefined means all that the key reaches. */
  readonly collection: string | undefined;
  readonly service: ServiceClient;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Throws an Error with a message for users when the key is missing or the address is none. */
export function targetOf(flags: TargetFlags, env: Env): InstallTarget {
  const config = readConfig(env);
  const address = addressFrom(flags, env, config);
  const key = flags.apiKey ?? nonEmpty(env.SERVICE_API_KEY) ?? keyFor(config, address);
  if (!key) throw new Error('which key? Give --api-key, or set SERVICE_API_KEY or QUARRY_API_KEY');
  const service = serviceAt(address, key, 'give --base-url, or --host and --port');
  return {
    ...{ address, key, service },
    collection: flags.collection ?? nonEmpty(env.SERVICE_COLLECTION),
  };
}

/**
 * Throws an Error with a message for users when the service does not answer, refuses the key, or does not have the
 * collection, so that the user learns of a mistake before any file is written.
 */
export async function checkTarget({ address, service, collection }: InstallTarget): Promise<void> {
  if (collection !== undefined) {
    await service.call('GET', `/v1/collections/${encodeURIComponent(collection)}`);
    return;
  }
  const [first] = await service.call<unknown[]>('GET', '/v1/collections?limit=1');
  if (first === undefined) throw new Error(`${address} has no collection yet: create one`);
}

function addressFrom({ baseUrl }: TargetFlags, env: Env, config: Config): string {
  const known = namedAddress(config) ?? ownAddress(config) ?? addressOf(config);
  const address = baseUrl ?? nonEmpty(env.SERVICE_BASE_URL) ?? known;
  const bare = address.replace(/\/+$/, '');
  if (!URL.canParse(bare) || !/^https?:$/.test(new URL(bare).protocol))
    throw new Error(`'${address}' is not an address: give one such as http://127.0.0.1:8099`);
  return bare;
}

/** An empty variable counts as not set. */
const nonEmpty = (text: string | undefined) => text?.trim() || undefined;
