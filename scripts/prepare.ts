/** A process that `npm start` starts beside the service makes what the next start takes: the dashboard and the bundle of the code. */
import { setPriority } from 'node:os';
import { buildDashboard } from '../packages/ui/tools/build.ts';
import { isDashboardStale } from '../packages/ui/tools/state.ts';
import { COMPILED, trimCache } from './compile-cache.ts';
import { bundleService } from './pack/bundle.ts';
import { BUNDLES, prepareCode, preparedCode } from './prepared-code.ts';

/** All sources of the service take 50 MB when they are compiled, and a bundle takes 6. */
const MOST_COMPILED = 250_000_000;

await attempt('The dashboard was not built', async () => {
  if (isDashboardStale()) await buildDashboard();
});
// Nobody waits for the bundle, so all other programs come first.
setPriority(19);
await attempt('The code was not prepared for the next start', async () => {
  if (preparedCode(BUNDLES) === undefined) await prepareCode(BUNDLES, bundleService);
});
await attempt('The cache of compiled code was not trimmed', async () => {
  trimCache(COMPILED, MOST_COMPILED);
});

/** The steps do not need each other. */
async function attempt(refusal: string, step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    process.stderr.write(`${refusal}: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
