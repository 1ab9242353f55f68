/** `quarry sync` starts a sync, or finds the running one, and prints its progress until it ends. */
import type { Config } from '../config.ts';
import type { SourceConnectionJob } from '../syncs/schema.ts';
import { findConnection } from './find.ts';
import { connectionPath, followSync } from './follow-sync.ts';
import { runningService, type ServiceClient, ServiceRefused } from './service-client.ts';

/** Returns the exit code of `followSync`. */
export async function sync(
  config: Config,
  name: string,
  { full = false }: { readonly full?: boolean },
): Promise<number> {
  const service = runningService(config);
  const { id } = await findConnection(service, name);
  const jobId = await startOrFind(service, connectionPath(id), full);
  const again = 'run the command again';
  return followSync(service, { connectionId: id, jobId, out: process.stdout, again });
}

/** Returns the id of the started or running job. */
async function startOrFind(service: ServiceClient, path: string, full: boolean): Promise<string> {
  try {
    const query = full ? '?force_full_sync=true' : '';
    return (await service.call<SourceConnectionJob>('POST', `${path}/run${query}`)).id;
  } catch (error) {
    if (!(error instanceof ServiceRefused && error.status === 409)) throw error;
    const jobs = await service.call<SourceConnectionJob[]>('GET', `${path}/jobs?limit=1`);
    const running = jobs.find(({ completed_at }) => completed_at === null);
    if (!running) throw error;
    const fullNote = full ? '; --full has no effect on it' : '';
    process.stderr.write(`a sync is already running: following it${fullNote}\n`);
    return running.id;
  }
}
