/** Proves an entry by using it as its client would: starts the command or connects to the address, and asks. */
import {
  Client,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { z } from 'zod';

/** The wait is long because Node compiles the code when a command runs for the first time. */
const PATIENCE_MS = 30_000;

const LocalEntry = z.object({
  command: z.string(),
  args: z.array(z.string()),
  env: z.record(z.string(), z.string()),
});
const HostedEntry = z.object({
  url: z.string(),
  headers: z.record(z.string(), z.string()).optional(),
  http_headers: z.record(z.string(), z.string()).optional(),
});
const Configuration = z.object({
  version: z.string(),
  collection: z.string(),
  /** The status is `ok`, or a sentence that says why the collection cannot be searched. */
  status: z.string(),
  collection_name: z.string().optional(),
});

export interface Proof {
  readonly version: string;
  /** The collection is named by its readable_id. */
  readonly collection: string;
  readonly collectionName: string;
  readonly tools: readonly string[];
}

/**
 * Takes the entry as it was read from the file. Throws an Error with the message of the failure and with all that
 * the command wrote to standard error.
 */
export async function prove(entry: unknown): Promise<Proof> {
  const { transport, said } = transportOf(entry);
  const client = new Client({ name: 'quarry-mcp-install', version: '1' });
  const timeout = { timeout: PATIENCE_MS };
  try {
    await client.connect(transport, timeout);
    const { tools } = await client.listTools(undefined, timeout);
    const answer = await client.callTool({ name: 'get-config', arguments: {} }, timeout);
    const config = Configuration.parse(answer.structuredContent);
    if (config.status !== 'ok') throw new Error(config.status);
    return {
      version: config.version,
      collection: config.collection,
      collectionName: config.collection_name ?? config.collection,
      tools: tools.map(({ name }) => name),
    };
  } catch (error) {
    throw new Error([(error as Error).message, said().trim()].filter(Boolean).join('\n'), {
      cause: error,
    });
  } finally {
    await client.close();
  }
}

/** The function `said` gives what the command has written to standard error, and is empty for an address. */
function transportOf(entry: unknown): { transport: Transport; said: () => string } {
  const local = LocalEntry.safeParse(entry);
  if (!local.success) {
    const { url, headers, http_headers } = HostedEntry.parse(entry);
    const requestInit = { headers: headers ?? http_headers ?? {} };
    const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit });
    return { transport, said: () => '' };
  }
  const transport = new StdioClientTransport({ ...local.data, stderr: 'pipe' });
  let said = '';
  transport.stderr?.on('data', (bytes) => {
    said += bytes;
  });
  return { transport, said: () => said };
}
