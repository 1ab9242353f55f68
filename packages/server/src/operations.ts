/** Wires what a process says about itself to monitors. */
import type { Config } from './config.ts';
import { watchRefusal } from './db/refused-writes.ts';
import { whyUnready } from './db/unready.ts';
import type { OpenDatabase } from './engines/choose.ts';
import type { ServedCertificate } from './http/certificate.ts';
import { createMetricsServer } from './http/metrics-server.ts';
import type { App } from './http/server.ts';
import type { ProcessParts } from './process-roles.ts';
import { measureEventLoop } from './telemetry/event-loop.ts';
import { createExposition } from './telemetry/exposition.ts';
import { showFacts } from './telemetry/facts.ts';
import { createMetrics } from './telemetry/metrics.ts';
import { watchProblems } from './telemetry/problems.ts';
import { collectThreads } from './telemetry/thread-metrics.ts';
import { VERSION } from './version.ts';

/** Opens what the API and the threads of a process count with. */
export function openTelemetry(
  { db, kind }: Pick<OpenDatabase, 'db' | 'kind'>,
  { backups }: Pick<Config, 'backups'>,
  certificate: ServedCertificate | null,
) {
  const metrics = createMetrics();
  const threadMetrics = collectThreads(metrics);
  const backupEveryMs = backups?.everyMs ?? null;
  const ofWork = watchProblems({ db, kind, metrics, threadMetrics, backupEveryMs });
  const problems = async () => [...(certificate?.problems() ?? []), ...(await ofWork())];
  return { metrics, threadMetrics, problems };
}

/** Returns null when the settings name no port. Then nothing is measured but what costs nothing. */
export function operationsOf(parts: ProcessParts): App | null {
  const { config, db, log, metrics, threadMetrics } = parts;
  if (config.QUARRY_METRICS_PORT === undefined) return null;
  const unready = whyUnready(db, watchRefusal(db));
  metrics.quarry_build_info.set({ version: VERSION, roles: config.QUARRY_ROLES.join(',') }, 1);
  measureEventLoop(metrics, 'main');
  showFacts(metrics, { ...parts, unready });
  return createMetricsServer({
    log,
    exposition: createExposition(metrics, threadMetrics),
    unready,
    problems: parts.problems,
  });
}
