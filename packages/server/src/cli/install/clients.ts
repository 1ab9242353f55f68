/**
 * These clients can be set up. Each entry says where the client keeps its servers, and in which form, as its
 * vendor publishes it:
 *
 * - Claude Desktop: https://modelcontextprotocol.io/docs/develop/connect-local-servers (macOS, Windows; on
 *   Linux the folder that Electron gives an app of this name). A server at a URL is a connector there:
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

/** These facts describe the machine on which the client runs. */
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
  /** This member of the file holds the servers. */
  readonly section: string;
  /** Gives the absolute path of the client's file. */
  readonly file: (around: ClientMachine) => string;
  /** Gives the absolute path of a file or folder that exists once the client has run. */
  readonly trace: (around: ClientMachine) => string;
  /** Throws an Error that tells what to do when the client cannot use such a connection. */
  readonly entry: (connection: ToolServerConnection) => ServerEntry;
}

const under = ({ platform }: ClientMachine, ...parts: string[]) =>
  (platform === 'win32' ? win32 : posix).join(...parts);

/** Apps made with Electron keep their data in this folder. */
function appData(around: ClientMachine): string {
  const { platform, home, env } = around;
  if (platform === 'win32') return env.APPDATA || under(around, home, 'AppData', 'Roaming');
  if (platform === 'darwin') return under(around, home, 'Library', 'Application Support');
  return env.XDG_CONFIG_HOME || under(around, home, '.config');
}

const codexHome = (around: ClientMachine) =>
  around.env.CODEX_HOME || under(around, around.home, '.codex');

/** Some clients want the kind of the connection as a word in the entry. */
const typed = (connection: ToolServerConnection): ServerEntry =>
  connection.kind === 'local'
    ? { type: 'stdio', ...command(connection) }
    : { type: 'http', url: connection.url, headers: connection.headers };

const command = ({
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
    file: (around) => under(around, appData(around), 'Claude', 'claude_desktop_config.json'),
    trace: (around) => under(around, appData(around), 'Claude'),
    entry(connection) {
      if (connection.kind === 'local') return command(connection);
      throw new Error(
        `Claude Desktop takes no address from its file: add ${connection.url} as a connector in its settings, or leave out --hosted`,
      );
    },
  },
  {
    id: 'claude-code',
    title: 'Claude Code',
    format: 'json',
    section: 'mcpServers',
    file: (around) => under(around, around.env.CLAUDE_CONFIG_DIR || around.home, '.claude.json'),
    trace: (around) => under(around, around.env.CLAUDE_CONFIG_DIR || around.home, '.claude.json'),
    entry: typed,
  },
  {
    id: 'cursor',
    title: 'Cursor',
    format: 'json',
    section: 'mcpServers',
    file: (around) => under(around, around.home, '.cursor', 'mcp.json'),
    trace: (around) => under(around, around.home, '.cursor'),
    entry: (connection) =>
      connection.kind === 'local'
        ? typed(connection)
        : { url: connection.url, headers: connection.headers },
  },
  {
    id: 'vscode',
    title: 'VS Code',
    format: 'json',
    section: 'servers',
    file: (around) => under(around, appData(around), 'Code', 'User', 'mcp.json'),
    trace: (around) => under(around, appData(around), 'Code', 'User'),
    entry: typed,
  },
  {
    id: 'codex',
    title: 'Codex',
    format: 'toml',
    section: 'mcp_servers',
    file: (around) => under(around, codexHome(around), 'config.toml'),
    trace: codexHome,
    entry: (connection) =>
      connection.kind === 'local'
        ? command(connection)
        : { url: connection.url, http_headers: connection.headers },
  },
];
