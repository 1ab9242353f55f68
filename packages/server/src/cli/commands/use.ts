/** These commands use the service day by day: connect sources, search, ask, and see what is there. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { addAdd } from '../add/command.ts';
import type { AskFlags } from '../ask/ask.ts';
import { addConnect } from '../connect/command.ts';
import { addImport } from '../import/command.ts';
import type { ListFlags } from '../list.ts';
import { configOf, type ServiceFlags, serviceCommand } from '../options.ts';
import type { RemoveFlags } from '../remove.ts';
import type { SearchFlags } from '../search/search.ts';
import { addKeys } from './keys.ts';

export function addUseCommands(program: Command): void {
  program.commandsGroup('Every day:');
  addAdd(program);
  addConnect(program);
  addImport(program);
  addSearch(program);
  addAsk(program);
  addList(program);
  addStatus(program);
  addSync(program);
  addSkipped(program);
  addRemove(program);
  addOpen(program);
  addKeys(program);
}

const COLLECTION = [
  '-c, --collection <readable_id>',
  'only this collection; all that the key reaches when left out',
] as const;

function addSearch(program: Command): void {
  serviceCommand(program, 'search', 'search everything, or one collection')
    .argument('<words...>', 'words or a question')
    .option(...COLLECTION)
    .option('-n, --limit <number>', 'how many results', count, 5)
    .option('--open [number]', 'open the result with this number, the first without one', count)
    .option('--json', 'print the answer of the service as JSON')
    .addHelpText(
      'after',
      '\nThe sample collection quarry-docs is left out as soon as there are records of your own; -c quarry-docs searches it.\nEnds with 1 when nothing is found.',
    )
    .action(async (words: string[], flags: ServiceFlags & SearchFlags) => {
      const { search } = await import('../search/search.ts');
      if (!(await search(configOf(flags), words.join(' '), flags))) process.exitCode = 1;
    });
}

function addAsk(program: Command): void {
  serviceCommand(
    program,
    'ask',
    'ask a question, watch the search, and read an answer that names its sources',
  )
    .argument('<question...>', 'the question')
    .option(
      '-c, --collection <readable_id>',
      'ask this collection; the one that fits the question best when left out',
    )
    .addOption(
      new Option('--mode <mode>', 'thinking looks again until the answer is good; fast looks once')
        .choices(['thinking', 'fast'])
        .default('thinking'),
    )
    .option('--json', 'print the answer of the service as JSON')
    .addHelpText('after', '\nEnds with 1 when nothing is found.')
    .action(async (words: string[], flags: ServiceFlags & AskFlags) => {
      const { ask } = await import('../ask/ask.ts');
      process.exitCode = await ask(configOf(flags), words.join(' '), flags);
    });
}

function addList(program: Command): void {
  serviceCommand(
    program,
    'list',
    'list collections with their connections, or the sources that can be connected',
  )
    .alias('ls')
    .argument('[what]', 'sources, or the readable_id of a collection')
    .option('--json', 'print JSON')
    .action(async (what: string | undefined, flags: ServiceFlags & ListFlags) => {
      const { list } = await import('../list.ts');
      await list(configOf(flags), what, flags);
    });
}

function addStatus(program: Command): void {
  serviceCommand(
    program,
    'status',
    'say what is connected, how fresh it is, what failed, and how to mend it',
  )
    .option('--json', 'print JSON')
    .option('--problems', 'list only what is wrong, and what to do: the database, models, syncs')
    .addHelpText('after', '\nEnds with 1 when something failed.')
    .action(async (flags: ServiceFlags & { readonly json?: boolean; readonly problems?: true }) => {
      const { status } = await import('../status.ts');
      const { printProblems } = await import('../problems.ts');
      const isWell = await (flags.problems ? printProblems : status)(configOf(flags), flags);
      if (!isWell) process.exitCode = 1;
    });
}

function addSync(program: Command): void {
  serviceCommand(
    program,
    'sync',
    'start a sync, or find the one that runs, and follow it to its end',
  )
    .argument('<connection>', 'name, folder or id of a source connection')
    .option('--full', 'ignore the cursor of a continuous connection, and list everything')
    .action(async (connection: string, flags: ServiceFlags & { readonly full?: boolean }) => {
      const { sync } = await import('../sync.ts');
      process.exitCode = await sync(configOf(flags), connection, flags);
    });
}

function addSkipped(program: Command): void {
  serviceCommand(program, 'skipped', 'say which records the newest sync has left out, and why')
    .argument('<connection>', 'name, folder or id of a source connection')
    .option('--json', 'print JSON')
    .action(async (connection: string, flags: ServiceFlags & { readonly json?: boolean }) => {
      const { listSkipped } = await import('../skipped.ts');
      await listSkipped(configOf(flags), connection, flags);
    });
}

function addRemove(program: Command): void {
  serviceCommand(
    program,
    'rm',
    'remove a connection with all that it has copied, or a whole collection',
  )
    .alias('remove')
    .argument('<name>', 'name, folder or id of a source connection, or a collection')
    .option('--collection', 'the name is the readable_id or the name of a collection')
    .option('--yes', 'do not ask')
    .action(async (name: string, flags: ServiceFlags & RemoveFlags) => {
      const { remove } = await import('../remove.ts');
      if (!(await remove(configOf(flags), name, flags))) process.exitCode = 1;
    });
}

function addOpen(program: Command): void {
  serviceCommand(program, 'open', 'open the dashboard in a browser, signed in')
    .option('--no-browser', 'only print the link')
    .action(async (flags: ServiceFlags & { readonly browser: boolean }) => {
      const { openDashboard } = await import('../open.ts');
      await openDashboard(configOf(flags), flags);
    });
}

function count(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new InvalidArgumentError('it is not a number above 0.');
}
