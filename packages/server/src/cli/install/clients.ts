/**
 * These are the assistants (clients of the tool server) that `quarry mcp install` can set up. Each entry says in which
 * file and form the client stores its servers, according to its vendor:
 *
 * - Claude Desktop: https://modelcontextprotocol.io/docs/develop/connect-local-servers (macOS, Windows; on
 *   Linux the folder that Electron gives an app of this name). Claude Desktop calls a server at a URL a connector; the
 *   user adds it in the settings, not in this file:
 *   https://support.claude.com/en/articles/11503834-building-custom-connectors-via-remote-mcp-servers
 * - Claude Code: https://code.claude.com/docs/en/mcp, user scope; CLAUDE_CONFIG_DIR:
 *   https://code.claude.com/docs/en/settings
 * - Cursor: https://cursor.com/docs/mcp
 * - VS Code: https://code.visualstudio.com/docs/copilot/reference/mcp-configuration; the folder of the user:
 *   https://code.visualstudio.com/docs/configure/settings#_settings-file-locations
 * - Codex: https://developers.openai.com/codex/mcp, https://developers.openai.com/codex/config-reference
 */
import { posix, win32 } from 'node:path';
import type { ToolServerConnection } from './connection.ts';

/** This describes the machine on which the client runs. */
export interface ClientMachine {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type ServerEntry = Readonly<Record<string, unknown>>;

export interface AssistantClient {
  readonly id: string;
  readonly title: string;
  readonly format: 'json' | 'toml';
  /** This is the key in the file under which the servers are. */
  readonly section: string;
  /** Returns the absolute path of the client's file. */
  readonly file: (machine: ClientMachine) => string;
  /** Returns the absolute path of a file or folder which the client creates; where it exists, the client is installed. */
  readonly installedPath: (machine: ClientMachine) => string;
  /**
   * Returns the entry for the file. When the client does not support the kind of connection, throws an Error that says
   * what to do.
   */
  readonly entry: (connection: ToolServerConnection) => ServerEntry;
}

const under = ({ platform }: ClientMachine, ...parts: string[]) =>
  (platform === 'win32' ? win32 : posix).join(...parts);

/** Apps made with Electron keep their data in this folder. */
function appData(machine: ClientMachine): string {
  const { platform, home, env } = machine;
  if (platform === 'win32') return env.APPDATA || under(machine, home, 'AppData', 'Roaming');
  if (platform === 'darwin') return under(machine, home, 'Library', 'Application Support');
  return env.XDG_CONFIG_HOME || under(machine, home, '.config');
}

const codexHome = (machine: ClientMachine) =>
  machine.env.CODEX_HOME || under(machine, machine.home, '.codex');

/** Some clients need the type of the connection (`stdio` or `http`) in the entry. */
const entryWithType = (connection: ToolServerConnection): ServerEntry =>
  connection.kind === 'local'
    ? { type: 'stdio', ...commandEntry(connection) }
    : { type: 'http', url: connection.url, headers: connection.headers };

const commandEntry = ({
  command,
  args,
  env,
}: ToolServerConnection & { kind: 'local' }): ServerEntry => ({
  command,
  args,
  env,
});

export const CLIENTS: readonly AssistantClient[] = [
  {
    id: 'claude',
    title: 'Claude Desktop',
    format: 'json',
    section: 'mcpServers',
    file: (machine) => under(machine, appData(machine), 'Claude', 'claude_desktop_config.json'),
    installedPath: (machine) => under(machine, appData(machine), 'Claude'),
    entry(connection) {
      if (connection.kind === 'local') return commandEntry(connection);
      throw new Error(
        `Claude Desktop does not read the address of a server from its file: add ${connection.url} as a connector in its settings, or leave out --hosted`,
      );
    },
  },
  {
    id: 'claude-code',
    title: 'Claude Code',
    format: 'json',
    section: 'mcpServers',
    file: (machine) =>
      under(machine, machine.env.CLAUDE_CONFIG_DIR || machine.home, '.claude.json'),
    installedPath: (machine) =>
      under(machine, machine.env.CLAUDE_CONFIG_DIR || machine.home, '.claude.json'),
    entry: entryWithType,
  },
  {
    id: 'cursor',
    title: 'Cursor',
    format: 'json',
    section: 'mcpServers',
    file: (machine) => under(machine, machine.home, '.cursor', 'mcp.json'),
    installedPath: (machine) => under(machine, machine.home, '.cursor'),
    entry: (connection) =>
      connection.kind === 'local'
        ? entryWithType(connection)
        : { url: connection.url, headers: connection.headers },
  },
  {
    id: 'vscode',
    title: 'VS Code',
    format: 'json',
    section: 'servers',
    file: (machine) => under(machine, appData(machine), 'Code', 'User', 'mcp.json'),
    installedPath: (machine) => under(machine, appData(machine), 'Code', 'User'),
    entry: entryWithType,
  },
  {
    id: 'codex',
    title: 'Codex',
    format: 'toml',
    section: 'mcp_servers',
    file: (machine) => under(machine, codexHome(machine), 'config.toml'),
    installedPath: codexHome,
    entry: (connection) =>
      connection.kind === 'local'
        ? commandEntry(connection)
        : { url: connection.url, http_headers: connection.headers },
  },
];
