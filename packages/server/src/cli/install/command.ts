/** This file defines the options of `quarry mcp install` and `quarry mcp uninstall`. */
import { homedir } from 'node:os';
import type { Command } from 'commander';
import { confirmed } from '../confirm.ts';
import { CLIENTS } from './clients.ts';
import type { InstallFlags } from './file-change.ts';

const HELP = `
Clients: ${CLIENTS.map(({ id, title }) => `${id} (${title})`).join(', ')}.
Without a client, the command lists those that are found here, and changes nothing.

The change is shown first, with keys masked, and must be confirmed. A copy of the old file stays beside the file
(….quarry-backup). After the change, the command calls the tool server in the same way as the client will.

The assistant searches all collections, or only the one of --collection or SERVICE_COLLECTION. It gets a key of its
own, which only reads and has the name of the assistant in the list of keys. The command makes it with --api-key, else
SERVICE_API_KEY, else QUARRY_API_KEY, else the key of commands of the service on this machine; that key is not written
into the assistant's file, unless it is no admin key and so cannot make another one. Running the command again replaces
the key, and --undo revokes it. The address is --base-url, else SERVICE_BASE_URL, else that of --host and --port, else
that of the service on this machine.

Examples:
  quarry mcp install claude-code cursor
  quarry mcp install vscode --hosted --base-url https://quarry.example.com --yes
  quarry mcp install claude --undo
`;

/** `readEnv` returns the environment variables, with the options --host and --port already in them. */
export function addInstall(mcp: Command, readEnv: (command: Command) => NodeJS.ProcessEnv): void {
  mcp
    .command('install')
    .description('Set AI assistants up to search the running service.')
    .argument('[clients...]', CLIENTS.map(({ id }) => id).join(', '))
    .option(
      '--collection <readable_id>',
      'the only collection to search; without it, all are searched',
    )
    .option(
      '--api-key <key>',
      'a key of the service; other users of this machine see arguments, not variables',
    )
    .option('--base-url <url>', 'address of the service')
    .option('--port <number>', 'port of the service (QUARRY_PORT, 8099)')
    .option('--host <address>', 'address of the service (QUARRY_HOST, 127.0.0.1)')
    .option('--hosted', 'connect to the service by its address instead of starting a command')
    .option('--name <name>', 'name of the entry, to have more than one', 'quarry')
    .option('--file <path>', 'write this file instead of the usual one of the client')
    .option('--dry-run', 'show what would change, and change nothing')
    .option('--yes', 'do not ask')
    .option('--undo', 'restore the file as it was')
    .option(
      '--only-entry',
      'with --undo: remove only the entry, even if the file was changed after the installation',
    )
    .addHelpText('after', HELP)
    .action((names: string[], _flags, command: Command) => perform(names, command, {}));
  mcp
    .command('uninstall')
    .description('Take the set-up of AI assistants back, and revoke their keys.')
    .argument('<clients...>', CLIENTS.map(({ id }) => id).join(', '))
    .option('--name <name>', 'name of the entry', 'quarry')
    .option('--file <path>', 'the file that was written instead of the usual one of the client')
    .option('--dry-run', 'show what would change, and change nothing')
    .option('--yes', 'do not ask')
    .option(
      '--only-entry',
      'remove only the entry, even if the file was changed after the installation',
    )
    .action((names: string[], _flags, command: Command) => perform(names, command, { undo: true }));

  async function perform(names: string[], command: Command, more: Partial<InstallFlags>) {
    // This import is here because install.ts loads the MCP client, which the other commands do not need.
    const { install } = await import('./install.ts');
    const env = readEnv(command);
    const machine = { platform: process.platform, home: homedir(), env };
    await install(
      names,
      { ...command.optsWithGlobals<InstallFlags>(), ...more },
      {
        machine,
        say: (text) => process.stdout.write(text),
        confirm: (question) =>
          confirmed(question, {
            input: process.stdin,
            output: process.stdout,
            advice: 'give --yes, or --dry-run to look',
          }),
      },
    );
  }
}
