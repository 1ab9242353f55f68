/** Follows a sync on the terminal until it ends. */
import type { JobEvent } from '../syncs/schema.ts';
import { liveLine } from './live-line.ts';
import type { ServiceClient } from './service-client.ts';
import { progressText, summaryText } from './sync-text.ts';

/** This is the usual exit code of a command that was ended by Ctrl-C. */
export const INTERRUPTED = 130;

interface JobToFollow {
  readonly connectionId: string;
  readonly jobId: string;
  /** The summary is written here. */
  readonly out: NodeJS.WritableStream;
  /** Tells how to follow the sync again. */
  readonly again: string;
}

/**
 * Returns the exit code: 0 when the sync is COMPLETED, 1 when it ended in another way, and 130 when Ctrl-C ended this
 * command (the sync goes on).
 */
export async function followSync(
  service: ServiceClient,
  { connectionId, jobId, out, again }: JobToFollow,
): Promise<number> {
  const detached = new AbortController();
  const detach = () => detached.abort();
  process.once('SIGINT', detach);
  const line = liveLine(process.stderr);
  try {
    const stream = `${connectionPath(connectionId)}/jobs/${jobId}/stream`;
    for await (const event of service.events<JobEvent>(stream, detached.signal)) {
      if (event.type === 'error') throw new Error(event.message);
      if (event.type === 'progress') line.show(progressText(event));
      else {
        line.clear();
        out.write(summaryText(event.job));
        return event.job.status === 'COMPLETED' ? 0 : 1;
      }
    }
    throw new Error('the stream ended');
  } catch (error) {
    line.clear();
    if (!detached.signal.aborted)
      throw new Error(`cannot follow the sync any more (${(error as Error).message}): ${again}`, {
        cause: error,
      });
    process.stderr.write(`the sync goes on; ${again} to follow it\n`);
    return INTERRUPTED;
  } finally {
    process.off('SIGINT', detach);
  }
}

export const connectionPath = (id: string): string =>
  `/v1/source-connections/${encodeURIComponent(id)}`;
