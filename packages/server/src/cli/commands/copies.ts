/** These commands copy all data: `backup`, `restore` and `migrate-store`. */
import type { Command } from 'commander';
import type { BackupFlags } from '../backup.ts';
import { configOf, DATA_DIR, type ServiceFlags } from '../options.ts';

export function addCopyCommands(program: Command): void {
  addBackup(program);
  addRestore(program);
  addMigrateStore(program);
}

const WHICH = `
The database is the PostgreSQL that DATABASE_URL names, or else the one in the data directory. docs/backup.md says what a
backup holds, and what a restored service does again.`;

function addBackup(program: Command): void {
  program
    .command('backup')
    .summary('write everything in the database into a file, while the service runs')
    .description(
      'write everything in the database into a file, as it is at one moment, whether or not the service runs. The file is read again before it gets its name.',
    )
    .argument('<file>', 'the backup')
    .option('--force', 'replace the file if it exists')
    .option('--with-key', 'include the encryption key, which opens all stored credentials')
    .option(...DATA_DIR)
    .addHelpText('after', WHICH)
    .action(async (file: string, flags: ServiceFlags & BackupFlags) => {
      const { backUp } = await import('../backup.ts');
      await backUp(configOf(flags), file, flags);
    });
}

function addRestore(program: Command): void {
  program
    .command('restore')
    .summary('fill an empty database from a backup')
    .description(
      'fill an empty database from a backup of either kind of database, and bring it up to date. It is filled as a whole or not at all.',
    )
    .argument('<file>', 'the backup')
    .option('--check', 'only read the backup, and say whether it is complete')
    .option(...DATA_DIR)
    .addHelpText('after', WHICH)
    .action(async (file: string, flags: ServiceFlags & { readonly check?: true }) => {
      const { checkFile, restore } = await import('../restore.ts');
      await (flags.check ? checkFile(file) : restore(configOf(flags), file));
    });
}

function addMigrateStore(program: Command): void {
  program
    .command('migrate-store')
    .summary('copy everything into another database, while the service is stopped')
    .description(
      'copy everything from the database of the service into an empty one, of the same or the other kind. Nothing is embedded again. The service must be stopped.',
    )
    .requiredOption(
      '--to <database>',
      'postgres://user@host/database, with the password in PGPASSWORD, or a data directory',
    )
    .option(...DATA_DIR)
    .addHelpText(
      'after',
      `${WHICH} When the command is stopped, the target is as it was, and the command can be run again.`,
    )
    .action(async ({ to, ...flags }: ServiceFlags & { readonly to: string }) => {
      const { moveStore } = await import('../move-store.ts');
      await moveStore(configOf(flags), to);
    });
}
