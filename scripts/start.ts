/** `npm start -- [options]` runs this file. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isDashboardStale } from '../packages/ui/tools/state.ts';
import { BUNDLES, keepPrepared, preparedCode } from './prepared-code.ts';

const prepared = preparedCode(BUNDLES);
if (prepared !== undefined) keepPrepared(prepared);
if (prepared === undefined || isDashboardStale()) {
  // A process of its own, so that neither the start of the service nor the first sync waits for it.
  const prepare = fileURLToPath(new URL('prepare.ts', import.meta.url));
  const child = spawn(process.execPath, ['-C', 'quarry', prepare], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  child.unref();
}
const { main }: typeof import('../packages/server/src/main.ts') =
  prepared === undefined
    ? await import('../packages/server/src/main.ts')
    : await import(pathToFileURL(join(prepared, 'main.js')).href);
await main(['start', ...process.argv.slice(2)]);
