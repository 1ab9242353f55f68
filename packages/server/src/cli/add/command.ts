/** This file defines `quarry add`. */
import type { Command } from 'commander';
import { addConnectOptions, type GivenFlags, withLists } from '../connect/command.ts';
import { configOf, serviceCommand } from '../options.ts';

const HELP = `
A folder, a database or a website is connected at once. An app asks how to sign in and what to copy; 'quarry list
sources' lists the apps. Without --collection the records go into your only collection, and the first time into a new
one with the name Everything.

Other users of this machine see arguments, and shells remember them. So put an address with a password into a file and
connect it with --secret-file, or let 'quarry connect' ask for it at a terminal.

Examples:
  quarry add ~/notes
  quarry add postgres://reader@localhost/shop --name 'The shop'
  quarry connect postgresql --secret-file url=./shop.url
  quarry add https://docs.example.org/
  quarry add git@example.org:team/handbook.git
  quarry add github
`;

export function addAdd(program: Command): void {
  const command = serviceCommand(
    program,
    'add',
    'add a folder, a database, a website, a repository or an app, and follow the first sync',
  ).argument(
    '<what>',
    'a folder, an address (postgres://…, https://…, … .git), or the name of an app',
  );
  addConnectOptions(command)
    .addHelpText('after', HELP)
    .action(async (what: string, flags: GivenFlags) => {
      const { add } = await import('./add.ts');
      process.exitCode = await add(configOf(flags), what, withLists(flags));
    });
}
