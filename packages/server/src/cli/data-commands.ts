/** These commands work on the data itself, on its machine: `keys create`, `sign-in-link` and `rekey`. */
import { type Command, Option } from 'commander';
import type { Config } from '../config.ts';
import { ROLES } from '../model/role.ts';
import type { KeyFlags } from './keys.ts';
import type { LinkFlags } from './sign-in-link.ts';

interface DataFlags {
  readonly dataDir?: string;
  readonly port?: string;
}

/** Reads the settings of the environment, in which flags of the command line come first. */
type ReadFlags = (flags: DataFlags) => Config;

export function addDataCommands(program: Command, configOf: ReadFlags): void {
  addKeys(program, configOf);
  addSignInLink(program, configOf);
  addRekey(program, configOf);
}

function addKeys(program: Command, configOf: ReadFlags): void {
  program
    .command('keys')
    .description('manage API keys, on the machine that has the data')
    .command('create')
    .description(
      'Make an API key in the database itself, whether or not the service runs: the way back in when all keys are lost. Prints the key once.',
    )
    .option('--name <name>', 'name of the key in the list of keys', 'quarry keys create')
    .addOption(new Option('--role <role>', 'role of the key').choices(ROLES).default('admin'))
    .option(
      '--organization <id>',
      'organization of the key. Without it the key belongs to the oldest one, and as admin it reaches all organizations of its account',
    )
    .option('--data-dir <path>', 'data directory of the service (QUARRY_DATA_DIR)')
    .addHelpText('after', '\nWith DATABASE_URL set, the key is made in that PostgreSQL.')
    .action(async (_flags, command: Command) => {
      const flags = command.optsWithGlobals<DataFlags & KeyFlags>();
      const config = configOf(flags);
      const { createKey } = await import('./keys.ts');
      await createKey(config, flags);
    });
}

function addSignInLink(program: Command, configOf: ReadFlags): void {
  program
    .command('sign-in-link')
    .description(
      'Make a link that signs somebody in once, in the database itself, whether or not the service runs. Prints the link.',
    )
    .option('--email <address>', 'e-mail of a member; the owner of the installation when left out')
    .option(
      '--forget-password',
      'also remove the password of the account and end its sessions, so that the person can set a new one',
    )
    .option('--port <number>', 'port of the service (QUARRY_PORT, 8099)')
    .option('--data-dir <path>', 'data directory of the service (QUARRY_DATA_DIR)')
    .addHelpText(
      'after',
      '\nWith DATABASE_URL set, the link is made in that PostgreSQL. With QUARRY_PUBLIC_URL set, it begins with that address.',
    )
    .action(async (_flags, command: Command) => {
      const flags = command.optsWithGlobals<DataFlags & LinkFlags>();
      const config = configOf(flags);
      const { printSignInLink } = await import('./sign-in-link.ts');
      await printSignInLink(config, flags);
    });
}

function addRekey(program: Command, configOf: ReadFlags): void {
  program
    .command('rekey')
    .description(
      'Seal all stored credentials, tokens and signing secrets again with the present encryption key, whether or not the service runs.',
    )
    .option('--data-dir <path>', 'data directory of the service (QUARRY_DATA_DIR)')
    .addHelpText(
      'after',
      `
Needs the settings of the service: QUARRY_ENCRYPTION_KEY, or the key file in the data directory, is the
present key, and QUARRY_OTHER_ENCRYPTION_KEY the one before it. Give both to every process of the service
first (docs/encryption.md). A run that was stopped goes on when the command is run again. The exit status
is 1 while a value is sealed with another key than the present one.`,
    )
    .action(async (_flags, command: Command) => {
      const config = configOf(command.optsWithGlobals<DataFlags>());
      const { printRekey } = await import('./rekey.ts');
      if (!(await printRekey(config))) process.exitCode = 1;
    });
}
