/** A client connects to the tool server in one of two ways: it starts a command, or it uses an address. */
import { fileURLToPath } from 'node:url';

export type ToolServerConnection =
  | {
      readonly kind: 'local';
      /**
       * This is an absolute path, because a client that was started from a desktop may have another PATH than a
       * terminal.
       */
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: 'hosted';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    };

export interface ServiceTarget {
  /** The address of the service has no slash at its end. */
  readonly address: string;
  readonly key: string;
  /** This is the readable_id of the collection; undefined means all that the key reaches. */
  readonly collection: string | undefined;
}

/** Returns the command that starts `quarry-mcp` of this installation with the same Node as this process. */
export function localCommand(): { readonly command: string; readonly args: readonly string[] } {
  const local = fileURLToPath(import.meta.resolve('#quarry-mcp/local'));
  const main = local.replace(/local(\.[jt]s)$/, 'main$1');
  const conditions = main.endsWith('.ts') ? ['-C', 'quarry'] : [];
  return { command: process.execPath, args: [...conditions, main] };
}

export function localConnection(
  { address, key, collection }: ServiceTarget,
  start: { readonly command: string; readonly args: readonly string[] },
): ToolServerConnection {
  const env = {
    SERVICE_API_KEY: key,
    ...(collection !== undefined && { SERVICE_COLLECTION: collection }),
    SERVICE_BASE_URL: address,
  };
  return { kind: 'local', ...start, env };
}

export const hostedConnection = ({
  address,
  key,
  collection,
}: ServiceTarget): ToolServerConnection => ({
  kind: 'hosted',
  url: `${address}/mcp`,
  headers: {
    'X-API-Key': key,
    ...(collection !== undefined && { 'X-Collection-Readable-ID': collection }),
  },
});
