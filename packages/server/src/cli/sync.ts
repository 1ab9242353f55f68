/** `quarry sync` starts a sync, or finds the running one, and prints its progress until it ends. */
import type { Config } from '../config.ts';
import type { JobEvent, SourceConnectionJob } from '../syncs/schema.ts';
import { liveLine } from './live-line.ts';
import { runningService, type ServiceClient, ServiceRefused } from './service-client.ts';
import { progressText, summaryText } from './sync-text.ts';

/** This is the usual exit code of a command that was ended by Ctrl-C. */
const INTERRUPTED = 130;

/**
 * Returns the exit code: 0 when the sync is COMPLETED, 1 when it ended in another way, and 130 when Ctrl-C ended this
 * command (the sync goes on).
 */
export async function sync(
  config: Config,
  connection: string,
  { full = false }: { readonly full?: boolean },
): Promise<number> {
  const service = runningService(config);
  const path = `/v1/source-connections/${encodeURIComponent(connection)}`;
  const jobId = await startOrFind(service, path, full);
  const detached = new AbortController();
  const detach = () => detached.abort();
  process.once('SIGINT', detach);
  const line = liveLine(process.stderr);
  try {
    const stream = `${path}/jobs/${jobId}/stream`;
    for await (const event of service.events<JobEvent>(stream, detached.signal)) {
      if (event.type === 'error') throw new Error(event.message);
      if (event.type === 'progress') line.show(progressText(event));
      else {
        line.clear();
        process.stdout.write(summaryText(event.job));
        return event.job.status === 'COMPLETED' ? 0 : 1;
      }
    }
    throw new Error('the stream ended');
  } catch (error) {
    line.clear();
    if (!detached.signal.aborted)
      throw new Error(
        `cannot follow the sync any more (${(error as Error).message}): run the command again`,
        { cause: error },
      );
    process.stderr.write('the sync goes on; run the command again to follow it\n');
    return INTERRUPTED;
  } finally {
    process.off('SIGINT', detach);
  }
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
