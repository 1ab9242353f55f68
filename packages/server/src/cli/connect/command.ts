/** This file defines the options of `quarry connect`. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { configOf, type ServiceFlags, serviceCommand } from '../options.ts';
import type { ConnectFlags } from './given.ts';
import { WAYS } from './ways.ts';

const HELP = `
At a terminal the command asks for everything that no option gives: how to sign in, each setting of the source, the
collection. Where the source knows the values of a setting, it lists them. Secrets are typed without being shown.
Without a terminal, or with --json, the options must give all that is required.

A link for the browser is opened and printed. Ctrl-C removes what the command has made so far. During the first
sync it only ends the command: the sync goes on.

Examples:
  quarry connect linear
  quarry connect files --set path=/srv/notes --new-collection Notes
  quarry connect linear --sign-in key --secret-file api_key=./linear.key --set teams=ENG,OPS --collection team --json
  quarry connect google_drive --sign-in service-account --secret-file service_account=./key.json --collection team
`;

/** A link ends after 10 minutes, and a sign-in that began with it after 30 more. */
const WAIT_MINUTES = 40;

/** Adds `quarry connect`. */
export function addConnect(program: Command): void {
  const command = serviceCommand(
    program,
    'connect',
    'connect a source to a collection, step by step, and follow the first sync',
  ).argument(
    '<source>',
    'short_name of a source, such as github; a wrong one is answered with the list',
  );
  addConnectOptions(command)
    .addHelpText('after', HELP)
    .action(async (source: string, flags: GivenFlags) => {
      const { connect } = await import('./connect.ts');
      process.exitCode = await connect(configOf(flags), source, withLists(flags));
    });
}

/** The lists have no default for commander, because --help would show it as []. */
export type GivenFlags = ServiceFlags &
  Omit<ConnectFlags, 'set' | 'secretFile'> & {
    readonly set?: readonly string[];
    readonly secretFile?: readonly string[];
  };

export const withLists = ({ set = [], secretFile = [], ...flags }: GivenFlags): ConnectFlags => ({
  ...flags,
  set,
  secretFile,
});

/** Adds the options that say what a person would be asked otherwise. */
export const addConnectOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--sign-in <way>', 'how to sign in, where the source has several ways').choices(
        WAYS,
      ),
    )
    .option('--name <name>', 'name of the connection; that of the source when left out')
    .option('-c, --collection <readable_id>', 'collection for the records')
    .addOption(
      new Option(
        '--new-collection <name>',
        'make a collection with this name for the records',
      ).conflicts('collection'),
    )
    .option('--set <field=value>', 'a setting; lists are separated by commas', collect)
    .option(
      '--secret-file <field=path>',
      'a secret, or the client_secret of --client-id, from a file; - reads standard input',
      collect,
    )
    .option('--description <text>', 'what the connection is for')
    .option(
      '--cron <expression>',
      'when it syncs, as five fields in UTC; daily or as changes come when left out',
    )
    .option('--client-id <id>', 'your own OAuth client for the sign-in in a browser')
    .option('--no-open', 'print the link, and open no browser')
    .option(
      '--wait <minutes>',
      'how long to wait for the sign-in in a browser',
      minutes,
      WAIT_MINUTES,
    )
    .option('--json', 'ask nothing, and print the connection as JSON at the end');

const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];

function minutes(text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new InvalidArgumentError('it is not a number of minutes above 0.');
}
