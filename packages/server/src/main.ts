#!/usr/bin/env node
/**
 * The command line: `quarry start` starts the service and `quarry stop` ends it; `quarry config` lists its settings;
 * `quarry connect`, `quarry status`, `quarry sync`, `quarry doctor` and `quarry reindex` ask a running service; `quarry keys create`,
 * `quarry sign-in-link` and `quarry rekey` work on the data itself; `quarry eval` measures searches; `quarry mcp` serves
 * assistants, and `quarry mcp install` sets them up; `quarry transformers test` runs a transformer.
 */
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Command, CommanderError } from 'commander';
import { printConfig } from './cli/config.ts';
import { addConnectOptions } from './cli/connect/command.ts';
import { addDataCommands } from './cli/data-commands.ts';
import { type DoctorFlags, doctor } from './cli/doctor.ts';
import type { EvalFlags } from './cli/eval-plan.ts';
import { addInstall } from './cli/install/command.ts';
import { reindex } from './cli/reindex.ts';
import { status } from './cli/status.ts';
import { sync } from './cli/sync.ts';
import type { TestFlags } from './cli/transformers.ts';
import { type Config, processEnvironment, readConfig } from './config.ts';
import { VERSION } from './version.ts';

interface AddressFlags {
  readonly port?: string;
  readonly host?: string;
}

interface StartFlags extends AddressFlags {
  readonly dataDir?: string;
  readonly sample?: boolean;
}

/** The list `argv` is without node and script. Sets the exit code of the process, and never throws. */
export async function main(argv: readonly string[]): Promise<void> {
  // The reader of our output, such as `head`, may end before us. This is not an error, and a service goes on.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  const program = new Command('quarry')
    .description(
      'Quarry copies records from sources into collections, keeps them up to date and searches them.',
    )
    .version(VERSION)
    .exitOverride()
    .showHelpAfterError('(--help lists every option)');
  addStart(program);
  addStop(program);
  addStatus(program);
  addConfig(program);
  addDoctor(program);
  addReindex(program);
  addSync(program);
  addConnect(program);
  addDataCommands(program, configOf);
  addMcp(program);
  addTransformers(program);
  addEval(program);
  try {
    // A person who asks for nothing is told what can be done.
    await program.parseAsync(argv.length > 0 ? [...argv] : ['--help'], { from: 'user' });
  } catch (error) {
    // The library commander has printed its own errors already; it also throws after it has printed help.
    if (error instanceof CommanderError) process.exitCode = error.exitCode;
    else {
      process.stderr.write(`quarry: ${(error as Error).message}\n`);
      process.exitCode = 1;
    }
  }
}

function addStart(program: Command): void {
  program
    .command('start')
    .description('Start the service, and print how to use it.')
    .option('--port <number>', 'port of the API; 0 takes a free one (QUARRY_PORT, 8099)')
    .option('--host <address>', 'address to bind to (QUARRY_HOST, 127.0.0.1)')
    .option(
      '--data-dir <path>',
      'folder of the database, the key file and stored files (QUARRY_DATA_DIR)',
    )
    .option('--no-sample', 'make no sample collection (QUARRY_SAMPLE=false)')
    .action(async (flags: StartFlags) => {
      const config = configOf(flags);
      // The import is late because it loads the whole service, which the other commands do not need.
      const { start } = await import('./cli/start.ts');
      await start(config);
    });
}

function addConfig(program: Command): void {
  program
    .command('config')
    .description('list every setting with its default, its current value and its purpose')
    .action(() => printConfig(processEnvironment()));
}

/** Adds a command that asks the running service. */
const serviceCommand = (program: Command, name: string, description: string): Command =>
  program
    .command(name)
    .description(
      `${description} Asks the service that runs with the data of this machine, or, with QUARRY_API_KEY set, another one.`,
    )
    .option('--port <number>', 'port of the service (QUARRY_PORT)')
    .option('--host <address>', 'address of the service (QUARRY_HOST)')
    .option('--data-dir <path>', 'data directory of the service (QUARRY_DATA_DIR)');

function addStatus(program: Command): void {
  serviceCommand(
    program,
    'status',
    'Say what is connected, how fresh it is, what failed, and how to mend it. Ends with 1 when something failed.',
  )
    .option('--json', 'print JSON')
    .action(async (_flags, command: Command) => {
      const flags = command.optsWithGlobals<StartFlags & { readonly json?: boolean }>();
      if (!(await status(configOf(flags), flags))) process.exitCode = 1;
    });
}

function addStop(program: Command): void {
  program
    .command('stop')
    .description('Stop the service that runs with the data of this machine.')
    .option('--data-dir <path>', 'data directory of the service (QUARRY_DATA_DIR)')
    .action(async (_flags, command: Command) => {
      const config = configOf(command.optsWithGlobals<StartFlags>());
      const { stop } = await import('./cli/stop.ts');
      await stop(config);
    });
}

function addDoctor(program: Command): void {
  serviceCommand(program, 'doctor', 'Check collections, and repair them (admin).')
    .argument('[collection]', 'readable_id of a collection; all of them when left out')
    .option('--connection <id>', 'also compare this source connection with what its source lists')
    .option('--repair', 'write broken parts again, as far as they can be repaired')
    .action(async (collection: string | undefined, _flags, command: Command) => {
      const flags = command.optsWithGlobals<StartFlags & DoctorFlags>();
      const config = configOf(flags);
      if (!(await doctor(config, collection, flags))) process.exitCode = 1;
    });
}

function addReindex(program: Command): void {
  serviceCommand(
    program,
    'reindex',
    'Make words and vectors again from the stored records, without asking the sources (admin).',
  )
    .argument('<collection>', 'readable_id of a collection')
    .action(async (collection: string, _flags, command: Command) => {
      if (!(await reindex(configOf(command.optsWithGlobals()), collection))) process.exitCode = 1;
    });
}

function addSync(program: Command): void {
  serviceCommand(
    program,
    'sync',
    'Start a sync, or find the one that runs, and follow it to its end.',
  )
    .argument('<connection>', 'id of a source connection')
    .option('--full', 'ignore the cursor of a continuous connection, and list everything')
    .action(async (connection: string, _flags, command: Command) => {
      const flags = command.optsWithGlobals<StartFlags & { readonly full?: boolean }>();
      const config = configOf(flags);
      process.exitCode = await sync(config, connection, flags);
    });
}

function addConnect(program: Command): void {
  const command = serviceCommand(
    program,
    'connect',
    'Connect a source to a collection, step by step, and follow the first sync.',
  );
  addConnectOptions(command, configOf);
}

function addMcp(program: Command): void {
  const mcp = program
    .command('mcp')
    .description(
      'Serve the collections to an AI assistant on standard input and output (MCP). Needs SERVICE_API_KEY; SERVICE_COLLECTION names the only collection, and SERVICE_BASE_URL is http://127.0.0.1:8099 without one.',
    )
    .action(async () => {
      const { serveLocal } = await import('#quarry-mcp/local');
      serveLocal(processEnvironment());
    });
  addInstall(mcp, (command) => withFlags(processEnvironment(), command.optsWithGlobals()));
}

function addTransformers(program: Command): void {
  program
    .command('transformers')
    .description('work on transformers')
    .command('test')
    .description(
      'Run a function of a module on entities of a file as a sync would, and show the result.',
    )
    .argument('<module>', 'path of the module; below QUARRY_TRANSFORMERS_DIR where that is set')
    .requiredOption('--entity <file>', 'JSON: an entity in the form of a push, or a list of them')
    .option('--method <name>', 'the exported function', 'transform')
    .option('--config <json>', 'its configuration', '{}')
    .action(async (module: string, flags: TestFlags) => {
      const { testTransformer } = await import('./cli/transformers.ts');
      const config = readConfig(processEnvironment());
      if (!(await testTransformer(config, module, flags))) process.exitCode = 1;
    });
}

function addEval(program: Command): void {
  program
    .command('eval')
    .description(
      'Measure the quality of searches, stage by stage: nDCG@10, recall@100, MRR, latency, and the gain of each stage. With --fit, find better weights of the reranker for a collection.',
    )
    .argument(
      '[folders...]',
      'judged sets (corpus.jsonl, queries.jsonl, qrels.tsv), each searched in a database of its own',
    )
    .option(
      '--collection <readable_id>',
      'search this collection of the service instead; qrels name entity ids of its source',
    )
    .option('--data-dir <path>', 'data directory of the service (QUARRY_DATA_DIR)')
    .option('--known-items <number>', 'number of queries to make from the documents themselves')
    .option('--seed <number>', 'number that chooses the queries of --known-items (1)')
    .option(
      '--cut-names [characters]',
      'give every document of a judged set the first characters of its text as its name (60), as sources do for messages and rows',
    )
    .option('--stages <names>', 'measure only these stages, separated by commas')
    .option('--features', 'also measure the reranker without each of its features')
    .option(
      '--fit',
      'fit the weights of the built-in reranker on the queries, and let searches of --collection use them if they gain for certain on queries that the fit has not seen',
    )
    .option('--dry-run', 'show what --fit would do, and store nothing')
    .option('--reset-weights', 'remove the weights that --fit has stored for --collection')
    .option('--json', 'print JSON instead of tables')
    .action(async (folders: string[], _flags, command: Command) => {
      const flags = command.optsWithGlobals<StartFlags & EvalFlags>();
      const config = configOf(flags);
      const { evaluate } = await import('./cli/eval.ts');
      await evaluate(config, folders, flags);
    });
}

/** Reads the settings of the environment, in which flags of the command line come first. */
const configOf = (flags: StartFlags): Config => readConfig(withFlags(processEnvironment(), flags));

function withFlags(env: NodeJS.ProcessEnv, flags: StartFlags): NodeJS.ProcessEnv {
  return {
    ...env,
    ...(flags.port !== undefined && { QUARRY_PORT: flags.port }),
    ...(flags.host !== undefined && { QUARRY_HOST: flags.host }),
    ...(flags.dataDir !== undefined && { QUARRY_DATA_DIR: flags.dataDir }),
    ...(flags.sample === false && { QUARRY_SAMPLE: 'false' }),
  };
}

const invoked = process.argv[1];
if (invoked && realpathSync(invoked) === fileURLToPath(import.meta.url))
  await main(process.argv.slice(2));
