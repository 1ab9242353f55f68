#!/usr/bin/env node
/** The command line. Without arguments it says what can be done. */
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Command, CommanderError } from 'commander';
import { addAssistantCommands } from './cli/commands/assistants.ts';
import { addCompletion } from './cli/commands/completion.ts';
import { addMaintenanceCommands } from './cli/commands/maintain.ts';
import { addRunCommands } from './cli/commands/run.ts';
import { addUseCommands } from './cli/commands/use.ts';
import { plain } from './cli/live-line.ts';
import { VERSION } from './version.ts';

/** The list `argv` is without node and script. Sets the exit code of the process, and never throws. */
export async function main(argv: readonly string[]): Promise<void> {
  // The reader of our output or log, such as `head` or a terminal, may end before us. This is not an error: a service goes
  // on, and a command still takes back what it has begun.
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
    });
  const program = new Command('quarry')
    .description(
      'Quarry copies records from sources into collections, keeps them up to date and searches them.',
    )
    .version(VERSION)
    .exitOverride()
    .showHelpAfterError('(--help lists every option)');
  addUseCommands(program);
  addRunCommands(program);
  addAssistantCommands(program);
  addMaintenanceCommands(program);
  addCompletion(program);
  try {
    // A person who asks for nothing is told what can be done.
    await program.parseAsync(argv.length > 0 ? [...argv] : ['--help'], { from: 'user' });
  } catch (error) {
    // The library commander has printed its own errors already; it also throws after it has printed help.
    if (error instanceof CommanderError) process.exitCode = error.exitCode;
    else {
      // A message may repeat what a source or another service has said.
      const lines = (error as Error).message.split('\n').map(plain);
      process.stderr.write(`quarry: ${lines.join('\n')}\n`);
      process.exitCode = 1;
    }
  }
}

const invoked = process.argv[1];
if (invoked && realpathSync(invoked) === fileURLToPath(import.meta.url))
  await main(process.argv.slice(2));
