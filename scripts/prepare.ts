/** A process that `npm start` starts beside the service makes what the next start takes: the dashboard and the bundle of the code. */
import { setPriority } from 'node:os';
import { buildDashboard } from '../packages/ui/tools/build.ts';
import { isDashboardStale } from '../packages/ui/tools/state.ts';
import { bundleService } from './pack/bundle.ts';
import { BUNDLES, prepareCode, preparedCode } from './prepared-code.ts';

if (isDashboardStale()) await buildDashboard();
// Nobody waits for the bundle, so all other programs come first.
setPriority(19);
try {
  if (preparedCode(BUNDLES) === undefined) await prepareCode(BUNDLES, bundleService);
} catch (error) {
  process.stderr.write(
    `The code was not prepared for the next start: ${(error as Error).message}\n`,
  );
  process.exitCode = 1;
}
