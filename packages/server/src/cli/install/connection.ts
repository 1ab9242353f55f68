/** A client reaches the tool server by a command that the client starts, or at an address. */
import { fileURLToPath } from 'node:url';

export type ToolServerConnection =
  | {
      readonly kind: 'local';
      /**
       * The path is absolute, because a client that was started from a desktop may have another PATH than a
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
  /** The collection is named by its readable_id. */
  readonly collection: string;
}

/** Gives the command that starts `quarry-mcp` of this installation with the Node that runs now. */
export function localCommand(): { readonly command: string; readonly args: readonly string[] } {
  const local = fileURLToPath(import.meta.resolve('quarry-mcp/local'));
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
    SERVICE_COLLECTION: collection,
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
  headers: { 'X-API-Key': key, 'X-Collection-Readable-ID': collection },
});
