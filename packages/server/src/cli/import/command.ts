/** This file defines `quarry import airweave`. */
import type { Command } from 'commander';
import { configOf, serviceCommand } from '../options.ts';
import type { ImportFlags } from './import.ts';

const HELP = `
The plan is shown first: what will be made, what is there already and is left alone, and what cannot be imported and
why. Running the command again makes nothing twice, and completes an import that was interrupted. In Airweave nothing
is changed.

Secrets are not copied. The command ends with the connections to sign in to again, the commands for those that need a
key or a password, and the webhooks whose receivers need a new secret.

Other users of this machine see arguments, and shells remember them. So set AIRWEAVE_API_KEY instead of giving the key,
or give - and the key on standard input; a terminal asks for it otherwise.

Examples:
  quarry import airweave https://api.airweave.ai
  quarry import airweave http://localhost:8001 - --dry-run < airweave.key

Ends with 1 when something could not be made that the plan has shown.`;

export function addImport(program: Command): void {
  const group = program
    .command('import')
    .description('copy collections, connections and webhooks from another service');
  serviceCommand(
    group,
    'airweave',
    'copy collections, connections without their secrets, and webhooks from a running Airweave',
  )
    .argument('<url>', "address of Airweave's API, such as https://api.airweave.ai")
    .argument('[key]', 'API key of Airweave; - reads it from standard input')
    .option('--yes', 'do not ask')
    .option('--dry-run', 'show the plan, and make nothing')
    .option('--json', 'print what was made, and what is left to do, as JSON')
    .addHelpText('after', HELP)
    .action(async (url: string, key: string | undefined, flags: ImportFlags) => {
      const { importAirweave } = await import('./import.ts');
      process.exitCode = await importAirweave(configOf(flags), { url, key }, flags);
    });
}
