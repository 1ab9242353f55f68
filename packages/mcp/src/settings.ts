/** The settings of the local mode are environment variables. */
import { DEFAULT_TOKENS, MIN_TOKENS } from './budget.ts';

export interface Settings {
  readonly apiKey: string;
  /** This is the readable_id of the collection; undefined means all that the key reaches. */
  readonly collection: string | undefined;
  /** The URL has no slash at its end. */
  readonly baseUrl: string;
  /** An answer has at most this many tokens of the model that reads it. */
  readonly maxTokens: number;
}

const DEFAULT_BASE_URL = 'http://127.0.0.1:8099';

/** Reads the settings. An empty variable counts as not set. Throws an Error with one line for each fault. */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const given = (name: string) => env[name]?.trim() || undefined;
  const apiKey = given('SERVICE_API_KEY');
  const faults =
    apiKey === undefined ? ['SERVICE_API_KEY is missing: set it to an API key of Quarry'] : [];
  const baseUrl = (given('SERVICE_BASE_URL') ?? DEFAULT_BASE_URL).replace(/\/+$/, '');
  if (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol))
    faults.push(`SERVICE_BASE_URL is not an address: give one such as ${DEFAULT_BASE_URL}`);
  const maxTokens = Number(given('SERVICE_MAX_TOKENS') ?? DEFAULT_TOKENS);
  if (!Number.isSafeInteger(maxTokens) || maxTokens < MIN_TOKENS)
    faults.push(`SERVICE_MAX_TOKENS is not a number of tokens: give one from ${MIN_TOKENS} on`);
  if (apiKey === undefined || faults.length > 0) throw new Error(faults.join('\n'));
  return {
    apiKey,
    collection: given('SERVICE_COLLECTION'),
    baseUrl,
    maxTokens,
  };
}
