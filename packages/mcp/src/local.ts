/**
 * The local mode is a tool server on standard input and output. It calls the API at the address in the environment
 * variables.
 *
 * Standard output belongs to the protocol, so every other message goes to standard error.
 */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { httpApi } from './http-api.ts';
import { createAccountServer, createToolServer, VERSION } from './server.ts';
import { readSettings } from './settings.ts';
import { reachedThrough } from './tools/reachable.ts';

/** Runs until standard input ends. Throws an Error with a message for users when a setting is missing or wrong. */
export function serveLocal(env: Readonly<Record<string, string | undefined>>): void {
  const { apiKey, collection, baseUrl, maxTokens } = readSettings(env);
  const say = (text: string) => process.stderr.write(`quarry-mcp: ${text}\n`);
  const api = httpApi(baseUrl, apiKey);
  const context = { mode: 'local', address: baseUrl, maxTokens, say } as const;
  const reach = (signal: AbortSignal) => reachedThrough(api, signal);
  const open = () =>
    collection === undefined
      ? createAccountServer({ ...context, reach })
      : createToolServer({ ...context, api, collection });
  serveStdio(open, { onerror: (error) => say(error.message) });
  const what = collection === undefined ? 'all collections' : `the collection '${collection}'`;
  say(`version ${VERSION} serves ${what} of ${baseUrl}`);
}
