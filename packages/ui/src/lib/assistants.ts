/** Says how an assistant is led to the tool server, and whether it has come. */
import type { Schemas } from '../api/client.ts';
import { isOfThisMachine } from './this-machine.ts';

export const ASSISTANTS = [
  { id: 'claude-code', name: 'Claude Code' },
  { id: 'claude', name: 'Claude Desktop' },
  { id: 'cursor', name: 'Cursor' },
  { id: 'vscode', name: 'VS Code' },
  { id: 'codex', name: 'Codex' },
] as const;
export type AssistantId = (typeof ASSISTANTS)[number]['id'];

export const nameOf = (assistant: AssistantId): string =>
  ASSISTANTS.find(({ id }) => id === assistant)?.name ?? assistant;

type Key = Pick<Schemas['ApiKey'], 'id' | 'name' | 'collections' | 'created_at' | 'last_used_at'>;

interface WantedKey {
  readonly name: string;
  /** The readable_id of the collection to which the key is limited; null means all that its maker reaches. */
  readonly collection: string | null;
  /** This key was made just now; null when none was. */
  readonly madeId: string | null;
}

/** Returns the key by which an assistant calls: the one that was made just now, or else the last used one. */
export function keyOfAssistant(
  keys: readonly Key[],
  { name, collection, madeId }: WantedKey,
): Key | undefined {
  if (madeId !== null) return keys.find(({ id }) => id === madeId);
  const usedAt = ({ last_used_at, created_at }: Key) => last_used_at ?? created_at;
  return keys
    .filter((key) => key.name === name && (key.collections?.join() ?? null) === collection)
    .toSorted(
      (a, b) =>
        Number(b.last_used_at !== null) - Number(a.last_used_at !== null) ||
        (usedAt(a) < usedAt(b) ? 1 : -1),
    )
    .at(0);
}

interface Wanted {
  readonly assistant: AssistantId;
  /** The dashboard was opened at this origin, so the assistant of the same person reaches it, too. */
  readonly origin: string;
  /** The readable_id of the only collection that it searches; null means all that it may read. */
  readonly collection: string | null;
  /** The set-up by address has a placeholder until there is a key. The command makes a key by itself. */
  readonly key: string | null;
  /** Every command of this installation begins with this; null where the person cannot run commands. */
  readonly commandLine: string | null;
}

export interface SetUp {
  readonly text: string;
  /** Names the text to those who do not see it. */
  readonly label: string;
  /** Says where the text belongs, and what happens then. */
  readonly help: string;
}

const PLACEHOLDER = '<key>';

export function setUpOf(wanted: Wanted): SetUp {
  const { commandLine, origin } = wanted;
  return commandLine !== null && isOfThisMachine(origin)
    ? byCommand(wanted, commandLine)
    : byAddress(wanted);
}

/**
 * The installation is on this machine, so its own command can make a key, write the file of the assistant, and try it
 * out.
 */
function byCommand({ assistant, collection }: Wanted, commandLine: string): SetUp {
  const only = collection === null ? '' : ` --collection ${collection}`;
  const place = commandLine.startsWith('npm ')
    ? 'Run it in the folder of Quarry'
    : 'Run it in a terminal';
  return {
    text: `${commandLine} mcp install ${assistant}${only}`,
    label: `the command for ${nameOf(assistant)}`,
    help: `${place}. It makes a key that only reads, shows what it changes, asks, and proves that it works.`,
  };
}

function byAddress({ assistant, origin, collection, key }: Wanted): SetUp {
  const url = `${origin}/mcp`;
  const headers = {
    'X-API-Key': key ?? PLACEHOLDER,
    ...(collection !== null && { 'X-Collection-Readable-ID': collection }),
  };
  const shown = Object.entries(headers);
  const json = (section: string, server: object) =>
    JSON.stringify({ [section]: { quarry: server } }, null, 2);
  switch (assistant) {
    case 'claude-code':
      return {
        text: [
          `claude mcp add --transport http quarry ${url}`,
          ...shown.map(([name, value]) => `--header "${name}: ${value}"`),
        ].join(' \\\n  '),
        label: `the command for ${nameOf(assistant)}`,
        help: 'Run it in a terminal.',
      };
    case 'claude':
      return {
        text: url,
        label: `the address for ${nameOf(assistant)}`,
        help: 'Add it in Claude Desktop under Settings, Connectors. People sign in there, which an admin sets up once, and then need no key.',
      };
    case 'cursor':
      return {
        text: json('mcpServers', { url, headers }),
        label: `the entry for ${nameOf(assistant)}`,
        help: 'Write it into .cursor/mcp.json in your home folder.',
      };
    case 'vscode':
      return {
        text: json('servers', { type: 'http', url, headers }),
        label: `the entry for ${nameOf(assistant)}`,
        help: 'Write it into the mcp.json that “MCP: Open User Configuration” opens.',
      };
    case 'codex':
      return {
        text: [
          '[mcp_servers.quarry]',
          `url = "${url}"`,
          `http_headers = { ${shown.map(([name, value]) => `"${name}" = "${value}"`).join(', ')} }`,
        ].join('\n'),
        label: `the entry for ${nameOf(assistant)}`,
        help: 'Write it into .codex/config.toml in your home folder.',
      };
  }
}
