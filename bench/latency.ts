/**
 * Compares hybrid searches over HTTP with the two queries of the index called directly. Both are measured in turns, so
 * that other work of the machine affects both alike.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Direct } from './direct.ts';
import { percentile, type Service } from './service.ts';

export type Row = (name: string, value: string) => void;

const CLIENTS = 16;
/** This many questions are asked before the measurement, because the first ones are slow. */
const WARM_UP = 20;

interface BothTimes {
  readonly direct: number[];
  readonly service: number[];
}

const hybrid = (service: Service, query: string) => service.search('bench', query, 'hybrid');

/**
 * Returns the average processor time per question. Unlike the elapsed time, it hardly depends on other work of the
 * machine.
 */
async function processorOf(ask: () => Promise<unknown>, now: () => number, questions: number) {
  const before = now();
  await ask();
  return (now() - before) / questions;
}

const own = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

interface BenchTargets {
  readonly service: Service;
  readonly direct: Direct;
}

/** Asks one question at a time. */
export async function alone(
  { service, direct }: BenchTargets,
  queries: readonly string[],
  row: Row,
) {
  for (const query of queries.slice(0, WARM_UP)) await direct.both(query);
  for (const [name, times] of [
    ['first time', 1],
    ['again', 2],
  ] as const) {
    const both: BothTimes = { direct: [], service: [] };
    for (let time = 0; time < times; time++)
      for (const query of queries) {
        both.direct.push(await direct.both(query));
        both.service.push(await hybrid(service, query));
      }
    show(name, both, row);
  }
  const each = async (ask: (query: string) => Promise<unknown>) => {
    for (const query of queries) await ask(query);
  };
  const directly = await processorOf(() => each(direct.both), own, queries.length);
  const served = await processorOf(
    () => each((query) => hybrid(service, query)),
    service.processorMs,
    queries.length,
  );
  row(
    'processor time a question: directly, service',
    `${directly.toFixed(1)}, ${served.toFixed(1)}`,
  );
  row('… service / directly', (served / directly).toFixed(2));
}

/** Asks one question every 50 ms, as long as `running` returns true. */
export async function beside(
  { service, direct }: BenchTargets,
  queries: readonly string[],
  running: () => boolean,
): Promise<BothTimes> {
  const both: BothTimes = { direct: [], service: [] };
  for (let i = 0; running(); i++) {
    const next = sleep(50);
    const query = queries[i % queries.length]!;
    both.direct.push(await direct.both(query));
    both.service.push(await hybrid(service, query));
    await next;
  }
  return both;
}

/** Each client asks the next question as soon as it has its answer. */
export async function together(
  { service, direct }: BenchTargets,
  queries: readonly string[],
  row: Row,
) {
  const perSecond = async (ask: (query: string) => Promise<unknown>) => {
    const waiting = [...queries];
    const before = performance.now();
    const client = async () => {
      for (let query = waiting.pop(); query !== undefined; query = waiting.pop()) await ask(query);
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
    return (queries.length / (performance.now() - before)) * 1000;
  };
  const [directly, served] = [
    await perSecond((query) => direct.both(query)),
    await perSecond((query) => hybrid(service, query)),
  ];
  row(
    `${CLIENTS} clients, queries/s: directly, over HTTP`,
    `${directly.toFixed(0)}, ${served.toFixed(0)}`,
  );
  row('… over HTTP / directly', (served / directly).toFixed(2));
}

/** Prints the percentiles of both and the ratios of these percentiles. */
export function show(name: string, { direct, service }: BothTimes, row: Row): void {
  const at = (share: number) => [percentile(direct, share), percentile(service, share)] as const;
  const [[direct50, service50], [direct95, service95]] = [at(0.5), at(0.95)];
  row(`${name}: the index's two queries, p50 / p95`, pair(direct50, direct95));
  row(`${name}: hybrid over HTTP, p50 / p95`, pair(service50, service95));
  row('… over HTTP / directly', pair(service50 / direct50, service95 / direct95, 2));
}

export const pair = (one: number, other: number, digits = 1): string =>
  `${one.toFixed(digits)} / ${other.toFixed(digits)}`;
