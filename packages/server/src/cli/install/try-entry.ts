/**
 * Checks the entry for the tool server in the configuration file of an assistant by using it as the assistant would:
 * starts the command or connects to the address, and calls the tool `get-config`.
 */
import {
  Client,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { z } from 'zod';

/** The timeout is long because Node compiles the code when the command runs for the first time. */
const TIMEOUT_MS = 30_000;

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
  /** This is missing when the entry reaches several collections. */
  collection: z.string().optional(),
  /** This is `ok`, or a sentence that says why nothing can be searched. */
  status: z.string(),
  collection_name: z.string().optional(),
  total_collections: z.int().optional(),
});

export interface EntryReport {
  readonly version: string;
  /** This says in words what the entry searches. */
  readonly serves: string;
  readonly tools: readonly string[];
}

/**
 * `entry` is the entry as it was read from the file. Throws an Error whose message has the failure and everything that
 * the command wrote to standard error.
 */
export async function tryEntry(entry: unknown): Promise<EntryReport> {
  const { transport, errorOutput } = transportOf(entry);
  const client = new Client({ name: 'quarry-mcp-install', version: '1' });
  const timeout = { timeout: TIMEOUT_MS };
  try {
    await client.connect(transport, timeout);
    const { tools } = await client.listTools(undefined, timeout);
    const answer = await client.callTool({ name: 'get-config', arguments: {} }, timeout);
    const config = Configuration.parse(answer.structuredContent);
    if (config.status !== 'ok') throw new Error(config.status);
    return {
      version: config.version,
      serves: config.collection
        ? `'${config.collection_name ?? config.collection}' (${config.collection})`
        : `all ${config.total_collections} collections`,
      tools: tools.map(({ name }) => name),
    };
  } catch (error) {
    throw new Error([(error as Error).message, errorOutput().trim()].filter(Boolean).join('\n'), {
      cause: error,
    });
  } finally {
    await client.close();
  }
}

/** `errorOutput` returns what the command has written to standard error; for an address it returns ''. */
function transportOf(entry: unknown): { transport: Transport; errorOutput: () => string } {
  const local = LocalEntry.safeParse(entry);
  if (!local.success) {
    const { url, headers, http_headers } = HostedEntry.parse(entry);
    const requestInit = { headers: headers ?? http_headers ?? {} };
    const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit });
    return { transport, errorOutput: () => '' };
  }
  const transport = new StdioClientTransport({ ...local.data, stderr: 'pipe' });
  let errorOutput = '';
  transport.stderr?.on('data', (bytes) => {
    errorOutput += bytes;
  });
  return { transport, errorOutput: () => errorOutput };
}
