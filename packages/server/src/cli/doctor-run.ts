/** Waits for the end of a run of the doctor, which the service does in the background. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { MaintenanceRun } from '../doctor/schema.ts';
import type { ServiceClient } from './service-client.ts';

const POLL_MS = 500;

/** Prints the progress of the run to standard error, and returns the ended run. */
export async function waitForRun(
  service: ServiceClient,
  started: MaintenanceRun,
): Promise<MaintenanceRun> {
  let run = started;
  for (let said = ''; ; await sleep(POLL_MS)) {
    const line = `${run.collection_readable_id}: ${run.status.toLowerCase()}, ${run.entities_done} of ${run.entities_total} entities`;
    if (line !== said) process.stderr.write(`${line}\n`);
    said = line;
    if (run.status === 'COMPLETED' || run.status === 'FAILED') return run;
    run = await service.call(
      'GET',
      `/v1/collections/${run.collection_readable_id}/maintenance/${run.id}`,
    );
  }
}
