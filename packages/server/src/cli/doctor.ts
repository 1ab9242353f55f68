/** `quarry doctor` checks collections, repairs them if the user wants that, and prints the result. */
import type { Config } from '../config.ts';
import type { MaintenanceProblem, Report } from '../doctor/schema.ts';
import { waitForRun } from './doctor-run.ts';
import { itemsOf, runningService, type ServiceClient, ServiceRefused } from './service-client.ts';

export interface DoctorFlags {
  readonly connection?: string;
  readonly repair?: boolean;
}

const SERVICE_UNAVAILABLE = 503;

/**
 * Returns true when the service is ready and nothing is wrong at the end. A problem that the repair has corrected does
 * not count.
 */
export async function doctor(
  config: Config,
  collection: string | undefined,
  { connection, repair = false }: DoctorFlags,
): Promise<boolean> {
  const service = runningService(config);
  if (connection !== undefined && collection === undefined)
    throw new Error('--connection needs the collection of the connection');
  let isHealthy = await isReady(service);
  for (const one of collection === undefined ? await everyCollection(service) : [collection])
    isHealthy = (await checkCollection(service, one, { repair, connection })) && isHealthy;
  return isHealthy;
}

/** Returns true when the service is ready. Otherwise prints why it is not. */
async function isReady(service: ServiceClient): Promise<boolean> {
  try {
    await service.call('GET', '/health/ready');
    return true;
  } catch (error) {
    if (!(error instanceof ServiceRefused) || error.status !== SERVICE_UNAVAILABLE) throw error;
    process.stdout.write(`the service is ${error.message}\n`);
    return false;
  }
}

async function everyCollection(service: ServiceClient): Promise<string[]> {
  const found: string[] = [];
  for await (const { readable_id } of itemsOf<{ readable_id: string }>(service, '/v1/collections'))
    found.push(readable_id);
  return found;
}

async function checkCollection(
  service: ServiceClient,
  collection: string,
  asked: { repair: boolean; connection: string | undefined },
): Promise<boolean> {
  const callDoctor = (repair: boolean, connection?: string) =>
    service.call<Report>('POST', `/v1/collections/${encodeURIComponent(collection)}/doctor`, {
      repair,
      ...(connection !== undefined && { source_connection_id: connection }),
    });
  const report = await callDoctor(asked.repair, asked.connection);
  print(report);
  if (!report.run) return report.problems.length === 0;
  const run = await waitForRun(service, report.run);
  for (const error of run.errors) process.stdout.write(`  it failed: ${error}\n`);
  printProblems(run.problems);
  const after = report.problems.length > 0 && asked.repair ? await callDoctor(false) : report;
  if (after !== report) print(after, 'after the repair');
  return run.status === 'COMPLETED' && run.problems.length === 0 && after.problems.length === 0;
}

function print(report: Report, when?: string): void {
  const { checked, pending, problems } = report;
  const { entities, chunks, words, vectors, in_memory } = checked;
  process.stdout.write(
    `${report.collection_readable_id}${when ? ` ${when}` : ''}: checked ${entities} entities, ${chunks} chunks, words of ${words}, ${vectors} vectors, ${in_memory} in the memory of the process that answered\n`,
  );
  if (pending.source_connections > 0)
    process.stdout.write(
      `  ${pending.entities} entities of deleted connections wait for the clean-up\n`,
    );
  if (problems.length === 0) process.stdout.write('  nothing is wrong\n');
  printProblems(problems);
}

function printProblems(problems: readonly MaintenanceProblem[]): void {
  for (const { count, title, kind, examples, repairable, hint } of problems) {
    const remedy = repairable ? 'quarry doctor --repair repairs it' : hint;
    process.stdout.write(`  ${count} ${title} (${kind}): ${remedy}\n`);
    for (const example of examples) process.stdout.write(`    ${example}\n`);
  }
}
