/** These commands run the service: `start`, `migrate`, `stop`, `logs` and `config`. */
import { type Command, InvalidArgumentError } from 'commander';
import { processEnvironment, readConfig } from '../../config.ts';
import { configOf, DATA_DIR, type ServiceFlags, withFlags } from '../options.ts';

interface StartFlags extends ServiceFlags {
  readonly sample: boolean;
}

export function addRunCommands(program: Command): void {
  program.commandsGroup('Run the service:');
  addStart(program);
  addMigrate(program);
  addStop(program);
  addLogs(program);
  addConfig(program);
}

function addStart(program: Command): void {
  program
    .command('start')
    .description('start the service, and print how to use it')
    .option('--port <number>', 'port of the API; 0 takes a free one (QUARRY_PORT, 8099)')
    .option('--host <address>', 'address to bind to (QUARRY_HOST, 127.0.0.1)')
    .option(
      '--data-dir <path>',
      'folder of the database, the key file and stored files (QUARRY_DATA_DIR)',
    )
    .option('--no-sample', 'make no sample collection (QUARRY_SAMPLE=false)')
    .action(async ({ sample, ...flags }: StartFlags) => {
      const env = withFlags(processEnvironment(), flags);
      const config = readConfig(sample ? env : { ...env, QUARRY_SAMPLE: 'false' });
      // The import is late because it loads the whole service, which the other commands do not need.
      const { start } = await import('../start.ts');
      await start(config);
    });
}

function addMigrate(program: Command): void {
  program
    .command('migrate')
    .summary('bring the database up to date, before the service starts')
    .description(
      'bring the database up to date, and print the migrations that have run. A start does the same, except with QUARRY_MIGRATE=false.',
    )
    .option('--check', 'change nothing; print what would run, and end with 1 if anything would')
    .option(
      '--wait <seconds>',
      'wait for the end of processes of an older version, beside which a migration cannot run',
      wholeNumber('seconds'),
    )
    .option(...DATA_DIR)
    .action(async (flags: ServiceFlags & { readonly check?: true; readonly wait?: number }) => {
      const { migrateDatabase } = await import('../migrate.ts');
      if (!(await migrateDatabase(configOf(flags), flags))) process.exitCode = 1;
    });
}

function addStop(program: Command): void {
  program
    .command('stop')
    .description('stop the service that runs with the data of this machine')
    .option(...DATA_DIR)
    .action(async (flags: ServiceFlags) => {
      const { stop } = await import('../stop.ts');
      await stop(configOf(flags));
    });
}

function addLogs(program: Command): void {
  program
    .command('logs')
    .description('print the last lines of the log of the service')
    .option('-n, --lines <number>', 'how many lines', wholeNumber('lines'), 50)
    .option('-f, --follow', 'go on with new lines until Ctrl-C')
    .option(...DATA_DIR)
    .action(async (flags: ServiceFlags & { readonly lines: number; readonly follow?: true }) => {
      const { logs } = await import('../logs.ts');
      await logs(configOf(flags), flags);
    });
}

const wholeNumber =
  (what: string) =>
  (text: string): number => {
    const value = Number(text);
    if (Number.isSafeInteger(value) && value >= 0) return value;
    throw new InvalidArgumentError(`it is not a number of ${what}.`);
  };

function addConfig(program: Command): void {
  program
    .command('config')
    .description('list every setting with its default, its current value and its purpose')
    .action(async () => {
      const { printConfig } = await import('../config.ts');
      printConfig(processEnvironment());
    });
}
