/** `quarry status --problems` lists only what is wrong, and what to do about each. */
import { styleText } from 'node:util';
import type { Config } from '../config.ts';
import type { SourceConnection } from '../connections/schema.ts';
import type { ServiceProblem } from '../model/service-problem.ts';
import type { SyncJob } from '../syncs/schema.ts';
import { plain } from './live-line.ts';
import { itemsOf, runningService, type ServiceClient, ServiceRefused } from './service-client.ts';
import { failureOf } from './status.ts';

const SERVICE_UNAVAILABLE = 503;
/** These are the states of jobs that may wait. */
const WAITING = '/v1/sync/jobs?status=pending&status=in_progress';

/** Returns true when nothing is wrong. */
export async function printProblems(
  config: Config,
  { json = false }: { readonly json?: boolean },
): Promise<boolean> {
  const found = await problemsOf(runningService(config));
  process.stdout.write(json ? `${JSON.stringify(found, null, 2)}\n` : textOf(found));
  return found.length === 0;
}

/** A service that cannot serve is asked for nothing else. */
async function problemsOf(service: ServiceClient): Promise<ServiceProblem[]> {
  try {
    const { problems } = await service.call<{ problems: ServiceProblem[] }>('GET', '/health/ready');
    return [...problems, ...(await failures(service)), ...(await waits(service))];
  } catch (error) {
    if (!(error instanceof ServiceRefused) || error.status !== SERVICE_UNAVAILABLE) throw error;
    const [problem = '', ...remedy] = error.message.replace(/^not ready: /, '').split(': ');
    return [{ problem, remedy: remedy.join(': ') || 'try again in a moment' }];
  }
}

async function failures(service: ServiceClient): Promise<ServiceProblem[]> {
  const found: ServiceProblem[] = [];
  for await (const connection of itemsOf<SourceConnection>(service, '/v1/source-connections')) {
    const failure = failureOf(connection);
    const name = `${connection.readable_collection_id}/${connection.name}`;
    if (failure) found.push({ problem: `${name}: ${failure.message}`, remedy: failure.hint });
    if (!connection.deletions_held_back) continue;
    found.push({
      problem: `${name}: ${connection.deletions_held_back.count} deletions wait for a confirmation`,
      remedy: 'Look at the source, and confirm them in the dashboard.',
    });
  }
  return found;
}

/** A sync that waits says why, such as for a model that does not answer or a source that asks for patience. */
async function waits(service: ServiceClient): Promise<ServiceProblem[]> {
  const found: ServiceProblem[] = [];
  for await (const { waits_for: wait, sync_name } of itemsOf<SyncJob>(service, WAITING))
    if (wait)
      found.push({
        problem: `${sync_name} waits: ${wait.reason}`,
        remedy: wait.until === null ? 'It goes on by itself.' : `It goes on at ${wait.until}.`,
      });
  return found;
}

const textOf = (found: readonly ServiceProblem[]): string =>
  found.length === 0
    ? 'Nothing is wrong.\n'
    : found
        .map(({ problem, remedy }) => `${styleText('red', plain(problem))}\n  ${plain(remedy)}\n`)
        .join('');
