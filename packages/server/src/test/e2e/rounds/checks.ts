/** Checks what must hold at any moment, and what must hold when all work has ended. */

import { checkCounters } from '../../random/counters.ts';
import { random } from '../../random/random.ts';
import { hold, same } from '../../random/violation.ts';
import {
  allJobs,
  COLLECTION,
  find,
  listIds,
  mustAsk,
  STRATEGIES,
  type Strategy,
  searchAll,
} from './client.ts';
import type { Answering } from './cluster.ts';
import type { Copy } from './copies.ts';

const WORDS_A_CHECK = 12;

/** Checks searches and lists while work goes on. Returns false when the process died meanwhile. */
export async function look(
  cluster: Answering,
  copies: readonly Copy[],
  strategy: Strategy,
): Promise<boolean> {
  const all = await searchAll(cluster, strategy);
  if (!all) return false;
  for (const { id, ledger } of copies)
    ledger.check(all.get(id) ?? new Map(), `${strategy} search in ${id}`);
  for (const { id, ledger, together } of copies) {
    const ids = await listIds(cluster, id);
    if (!ids) return false;
    ledger.checkIds(ids, together, `connection ${id}`);
  }
  return true;
}

/** Checks that every query shows exactly the world, after the last sync has read the world as it is. */
export async function checkWorld(
  cluster: Answering,
  copies: readonly Copy[],
  seed: number,
): Promise<void> {
  for (const strategy of STRATEGIES) await look(cluster, copies, strategy);
  for (const { id, ledger } of copies) {
    const present = ledger.present();
    const path = `/v1/source-connections/${id}`;
    const { entities } = await mustAsk(cluster, 'GET', path);
    same(entities.total_entities, present.size, 'counters are facts', `the size of ${id}`);
    const listed = await listIds(cluster, id);
    same(listed?.size, present.size, 'a list shows what there is', `the size of the list of ${id}`);
    const chance = random(seed);
    const some = <T>(items: readonly T[]): T[] =>
      items.length === 0 ? [] : Array.from({ length: WORDS_A_CHECK }, () => chance.pick(items));
    for (const [document, word] of some([...present]))
      same((await find(cluster, word)).join(), document, 'a word finds its document', word);
    for (const word of some(ledger.gone()))
      same((await find(cluster, word)).join(), '', 'what is gone is not found', word);
  }
  const report = await mustAsk(cluster, 'POST', `/v1/collections/${COLLECTION}/doctor`, {});
  same(JSON.stringify(report.problems), '[]', 'the doctor finds nothing', COLLECTION);
}

/**
 * Checks all jobs that ever existed, when none is under way. `acknowledged` has the ids that the service answered
 * with.
 */
export async function checkJobs(
  cluster: Answering,
  copies: readonly Copy[],
  acknowledged: Iterable<string>,
): Promise<void> {
  const jobs = await allJobs(cluster);
  const ids = new Set(jobs.map(({ id }) => id));
  for (const id of acknowledged) hold(ids.has(id), 'a job keeps its id', () => id);
  for (const job of jobs) {
    hold(job.status === 'completed', 'a healthy job is completed', () => JSON.stringify(job));
  }
  for (const { syncId, ledger } of copies) {
    const mine = jobs.filter((job) => job.sync_id === syncId);
    checkCounters(mine, ledger.present().size);
  }
}
