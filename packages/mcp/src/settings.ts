/** The settings of the local mode are environment variables. */
import { DEFAULT_TOKENS, MIN_TOKENS } from './budget.ts';

export interface Settings {
  readonly apiKey: string;
  /** This is the readable_id of the collection. */
  readonly collection: string;
  /** The URL has no slash at its end. */
  readonly baseUrl: string;
  /** An answer has at most this many tokens of the model that reads it. */
  readonly maxTokens: number;
}

const DEFAULT_BASE_URL = 'http://127.0.0.1:8099';

const REQUIRED = {
  SERVICE_API_KEY: 'an API key of Quarry',
  SERVICE_COLLECTION: 'the readable_id of the collection to search',
} as const;

/** Reads the settings. An empty variable counts as not set. Throws an Error with one line for each fault. */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const given = (name: string) => env[name]?.trim() || undefined;
  const missing = Object.entries(REQUIRED).filter(([name]) => given(name) === undefined);
  const faults = missing.map(([name, what]) => `${name} is missing: set it to ${what}`);
  const baseUrl = (given('SERVICE_BASE_URL') ?? DEFAULT_BASE_URL).replace(/\/+$/, '');
  if (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol))
    faults.push(`SERVICE_BASE_URL is not an address: give one such as ${DEFAULT_BASE_URL}`);
  const maxTokens = Number(given('SERVICE_MAX_TOKENS') ?? DEFAULT_TOKENS);
  if (!Number.isSafeInteger(maxTokens) || maxTokens < MIN_TOKENS)
    faults.push(`SERVICE_MAX_TOKENS is not a number of tokens: give one from ${MIN_TOKENS} on`);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return {
    apiKey: given('SERVICE_API_KEY') as string,
    collection: given('SERVICE_COLLECTION') as string,
    baseUrl,
    maxTokens,
  };
}
