import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CLIENTS, type ClientMachine } from './clients.ts';

const filesOn = (machine: ClientMachine) =>
  Object.fromEntries(CLIENTS.map(({ id, file }) => [id, file(machine)]));

describe('the files in which clients keep their servers', () => {
  it('have the paths of Linux', () => {
    assert.deepEqual(filesOn({ platform: 'linux', home: '/home/ann', env: {} }), {
      claude: '/home/ann/.config/Claude/claude_desktop_config.json',
      'claude-code': '/home/ann/.claude.json',
      cursor: '/home/ann/.cursor/mcp.json',
      vscode: '/home/ann/.config/Code/User/mcp.json',
      codex: '/home/ann/.codex/config.toml',
    });
  });

  it('have the paths of macOS', () => {
    assert.deepEqual(filesOn({ platform: 'darwin', home: '/Users/ann', env: {} }), {
      claude: '/Users/ann/Library/Application Support/Claude/claude_desktop_config.json',
      'claude-code': '/Users/ann/.claude.json',
      cursor: '/Users/ann/.cursor/mcp.json',
      vscode: '/Users/ann/Library/Application Support/Code/User/mcp.json',
      codex: '/Users/ann/.codex/config.toml',
    });
  });

  it('have the paths of Windows', () => {
    const env = { APPDATA: 'D:\\Roaming' };
    assert.deepEqual(filesOn({ platform: 'win32', home: 'C:\\Users\\ann', env }), {
      claude: 'D:\\Roaming\\Claude\\claude_desktop_config.json',
      'claude-code': 'C:\\Users\\ann\\.claude.json',
      cursor: 'C:\\Users\\ann\\.cursor\\mcp.json',
      vscode: 'D:\\Roaming\\Code\\User\\mcp.json',
      codex: 'C:\\Users\\ann\\.codex\\config.toml',
    });
    const bare = filesOn({ platform: 'win32', home: 'C:\\Users\\ann', env: {} });
    assert.equal(bare.vscode, 'C:\\Users\\ann\\AppData\\Roaming\\Code\\User\\mcp.json');
  });

  it('have the paths that the environment names', () => {
    const env = { XDG_CONFIG_HOME: '/x', CLAUDE_CONFIG_DIR: '/c', CODEX_HOME: '/d' };
    assert.deepEqual(filesOn({ platform: 'linux', home: '/home/ann', env }), {
      claude: '/x/Claude/claude_desktop_config.json',
      'claude-code': '/c/.claude.json',
      cursor: '/home/ann/.cursor/mcp.json',
      vscode: '/x/Code/User/mcp.json',
      codex: '/d/config.toml',
    });
  });
});
