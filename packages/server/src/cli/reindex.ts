/** `quarry reindex` makes the words and vectors of a collection again, and waits until that is done. */
import type { Config } from '../config.ts';
import type { MaintenanceRun } from '../doctor/schema.ts';
import { waitForRun } from './doctor-run.ts';
import { runningService } from './service-client.ts';

/** Returns false when the run failed, or could not index some entities. */
export async function reindex(config: Config, collection: string): Promise<boolean> {
  const service = runningService(config);
  const path = `/v1/collections/${encodeURIComponent(collection)}/reindex`;
  const run = await waitForRun(service, await service.call<MaintenanceRun>('POST', path));
  process.stdout.write(`${collection}: ${run.entities_rewritten} entities indexed again\n`);
  if (run.entities_failed > 0)
    process.stdout.write(
      `${run.entities_failed} could not be read: run a full sync of their connection\n`,
    );
  for (const error of run.errors) process.stdout.write(`it failed: ${error}\n`);
  return run.status === 'COMPLETED' && run.entities_failed === 0;
}
