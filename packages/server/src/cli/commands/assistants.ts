/** The commands of `quarry mcp` serve AI assistants, and set them up. */
import type { Command } from 'commander';
import { processEnvironment } from '../../config.ts';
import { addInstall } from '../install/command.ts';
import { withFlags } from '../options.ts';

export function addAssistantCommands(program: Command): void {
  program.commandsGroup('Use it from AI assistants:');
  const mcp = program
    .command('mcp')
    .summary('serve an AI assistant (MCP), and set assistants up')
    .description(
      'Serve the collections to an AI assistant on standard input and output (MCP). Needs SERVICE_API_KEY; SERVICE_COLLECTION names the only collection, and SERVICE_BASE_URL is http://127.0.0.1:8099 without one.',
    )
    .action(async () => {
      const { serveLocal } = await import('#quarry-mcp/local');
      serveLocal(processEnvironment());
    });
  addInstall(mcp, (command) => withFlags(processEnvironment(), command.optsWithGlobals()));
}
