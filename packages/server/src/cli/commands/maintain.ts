/**
 * These commands look after the data: `doctor`, `reindex`, `sign-in-link`, `rekey`, `eval` and `transformers test`. Those
 * that copy all of it are in `copies.ts`.
 */
import type { Command } from 'commander';
import { processEnvironment, readConfig } from '../../config.ts';
import type { DoctorFlags } from '../doctor.ts';
import type { EvalFlags } from '../eval-plan.ts';
import { configOf, DATA_DIR, type ServiceFlags, serviceCommand } from '../options.ts';
import type { LinkFlags } from '../sign-in-link.ts';
import type { TestFlags } from '../transformers.ts';
import { addCopyCommands } from './copies.ts';

export function addMaintenanceCommands(program: Command): void {
  program.commandsGroup('Look after the data:');
  addDoctor(program);
  addReindex(program);
  addCopyCommands(program);
  addSignInLink(program);
  addRekey(program);
  addEval(program);
  addTransformers(program);
}

function addDoctor(program: Command): void {
  serviceCommand(program, 'doctor', 'check collections, and repair them (admin)')
    .argument('[collection]', 'readable_id of a collection; all of them when left out')
    .option('--connection <id>', 'also compare this source connection with what its source lists')
    .option('--repair', 'write broken parts again, as far as they can be repaired')
    .action(async (collection: string | undefined, flags: ServiceFlags & DoctorFlags) => {
      const { doctor } = await import('../doctor.ts');
      if (!(await doctor(configOf(flags), collection, flags))) process.exitCode = 1;
    });
}

function addReindex(program: Command): void {
  serviceCommand(
    program,
    'reindex',
    'make words and vectors again from the stored records, without asking the sources (admin)',
  )
    .argument('<collection>', 'readable_id of a collection')
    .action(async (collection: string, flags: ServiceFlags) => {
      const { reindex } = await import('../reindex.ts');
      if (!(await reindex(configOf(flags), collection))) process.exitCode = 1;
    });
}

function addSignInLink(program: Command): void {
  program
    .command('sign-in-link')
    .summary('make a link that signs somebody in once')
    .description(
      'make a link that signs somebody in once, in the database itself, whether or not the service runs. Prints the link.',
    )
    .option('--email <address>', 'e-mail of a member; the owner of the installation when left out')
    .option(
      '--forget-password',
      'also remove the password of the account and end its sessions, so that the person can set a new one',
    )
    .option('--port <number>', 'port of the service (QUARRY_PORT, 8099)')
    .option(...DATA_DIR)
    .addHelpText(
      'after',
      '\nWith DATABASE_URL set, the link is made in that PostgreSQL. With QUARRY_PUBLIC_URL set, it begins with that address.',
    )
    .action(async (flags: ServiceFlags & LinkFlags) => {
      const { printSignInLink } = await import('../sign-in-link.ts');
      await printSignInLink(configOf(flags), flags);
    });
}

function addRekey(program: Command): void {
  program
    .command('rekey')
    .summary('seal all stored secrets again with the present encryption key')
    .description(
      'seal all stored credentials, tokens and signing secrets again with the present encryption key, whether or not the service runs.',
    )
    .option(...DATA_DIR)
    .addHelpText(
      'after',
      `
Needs the settings of the service: QUARRY_ENCRYPTION_KEY, or the key file in the data directory, is the
present key, and QUARRY_OTHER_ENCRYPTION_KEY the one before it. Give both to every process of the service
first (docs/encryption.md). A run that was stopped goes on when the command is run again. The exit status
is 1 while a value is sealed with another key than the present one.`,
    )
    .action(async (flags: ServiceFlags) => {
      const { printRekey } = await import('../rekey.ts');
      if (!(await printRekey(configOf(flags)))) process.exitCode = 1;
    });
}

function addTransformers(program: Command): void {
  program
    .command('transformers')
    .description('test a transformer on entities of a file')
    .command('test')
    .description(
      'run a function of a module on entities of a file as a sync would, and show the result.',
    )
    .argument('<module>', 'path of the module; below QUARRY_TRANSFORMERS_DIR where that is set')
    .requiredOption('--entity <file>', 'JSON: an entity in the form of a push, or a list of them')
    .option('--method <name>', 'the exported function', 'transform')
    .option('--config <json>', 'its configuration', '{}')
    .action(async (module: string, flags: TestFlags) => {
      const { testTransformer } = await import('../transformers.ts');
      const config = readConfig(processEnvironment());
      if (!(await testTransformer(config, module, flags))) process.exitCode = 1;
    });
}

function addEval(program: Command): void {
  program
    .command('eval')
    .summary('measure the quality of searches, and fit the weights of a collection')
    .description(
      'measure the quality of searches, stage by stage: nDCG@10, recall@100, MRR, latency, and the gain of each stage. With --fit, find better weights of the reranker for a collection.',
    )
    .argument(
      '[folders...]',
      'judged sets (corpus.jsonl, queries.jsonl, qrels.tsv), each searched in a database of its own',
    )
    .option(
      '--collection <readable_id>',
      'search this collection of the service instead; qrels name entity ids of its source',
    )
    .option(...DATA_DIR)
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
    .action(async (folders: string[], flags: ServiceFlags & EvalFlags) => {
      const { evaluate } = await import('../eval.ts');
      await evaluate(configOf(flags), folders, flags);
    });
}
