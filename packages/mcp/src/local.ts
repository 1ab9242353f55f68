/**
 * The local mode is a tool server on standard input and output. It calls the API at the address in the environment
 * variables.
 *
 * Standard output belongs to the protocol, so every other message goes to standard error.
 */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { httpApi } from './http-api.ts';
import { createToolServer, VERSION } from './server.ts';
import { readSettings } from './settings.ts';

/** Runs until standard input ends. Throws an Error with a message for users when a setting is missing or wrong. */
export function serveLocal(env: Readonly<Record<string, string | undefined>>): void {
  const { apiKey, collection, baseUrl, maxTokens } = readSettings(env);
  const say = (text: string) => process.stderr.write(`quarry-mcp: ${text}\n`);
  const api = httpApi(baseUrl, apiKey);
  const context = { api, collection, mode: 'local', address: baseUrl, maxTokens, say } as const;
  serveStdio(() => createToolServer(context), { onerror: (error) => say(error.message) });
  say(`version ${VERSION} serves the collection '${collection}' of ${baseUrl}`);
}
