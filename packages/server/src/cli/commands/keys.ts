/** The commands of `quarry keys` list, make and revoke API keys. */
import { type Command, Option } from 'commander';
import { ROLES } from '../../model/role.ts';
import type { KeyFlags } from '../keys.ts';
import { configOf, DATA_DIR, type ServiceFlags, serviceCommand } from '../options.ts';

export function addKeys(program: Command): void {
  const keys = program.command('keys').description('list, make and revoke API keys');
  serviceCommand(keys, 'list', 'list the API keys of the organization')
    .alias('ls')
    .option('--json', 'print JSON')
    .action(async (flags: ServiceFlags & { readonly json?: boolean }) => {
      const { listKeys } = await import('../key-list.ts');
      await listKeys(configOf(flags), flags);
    });
  serviceCommand(keys, 'revoke', 'revoke an API key at once, after a question at a terminal')
    .alias('rm')
    .argument('<key>', 'id or name of the key')
    .option('--yes', 'do not ask')
    .action(async (key: string, flags: ServiceFlags & { readonly yes?: boolean }) => {
      const { revokeKey } = await import('../key-list.ts');
      if (!(await revokeKey(configOf(flags), key, flags))) process.exitCode = 1;
    });
  addCreate(keys);
}

function addCreate(keys: Command): void {
  keys
    .command('create')
    .description(
      'make an API key in the database itself, whether or not the service runs, and print it once',
    )
    .option('--name <name>', 'name of the key in the list of keys', 'quarry keys create')
    .addOption(new Option('--role <role>', 'role of the key').choices(ROLES).default('admin'))
    .option(
      '--organization <id>',
      'organization of the key. Without it the key belongs to the oldest one, and as admin it reaches all organizations of its account',
    )
    .option(...DATA_DIR)
    .addHelpText(
      'after',
      '\nThis is the way back in when all keys are lost. With DATABASE_URL set, the key is made in that PostgreSQL.',
    )
    .action(async (flags: ServiceFlags & KeyFlags) => {
      const { createKey } = await import('../keys.ts');
      await createKey(configOf(flags), flags);
    });
}
