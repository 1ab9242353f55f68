/** `npm start -- [options]` runs this file. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { main } from '../packages/server/src/main.ts';
import { isDashboardStale } from '../packages/ui/tools/state.ts';

if (isDashboardStale()) {
  // A process of its own, so that neither the start of the service nor the first sync waits for the build.
  const build = fileURLToPath(new URL('../packages/ui/tools/build.ts', import.meta.url));
  spawn(process.execPath, [build], { stdio: ['ignore', 'ignore', 'inherit'] }).unref();
}
await main(['start', ...process.argv.slice(2)]);
