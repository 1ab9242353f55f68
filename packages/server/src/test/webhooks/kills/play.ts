/**
 * Kills a process again and again while it delivers messages to endpoints that misbehave. At the end, every endpoint
 * must have received every message, and no more messages may have arrived twice than the kills can explain.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from '../../child-environment.ts';
import type { TestDatabase } from '../../databases.ts';
import { until } from '../../until.ts';
import { openPost } from '../post.ts';
import { answer, hang, ok, type Reaction, startReceiver } from '../receiver.ts';
import { LIMITS } from './settings.ts';

const WORKER = fileURLToPath(new URL('./worker.ts', import.meta.url));
const HUGE = 'x'.repeat(200_000);

/** An endpoint reacts in this way to the first attempt of each message, and answers the later attempts with 200. */
const MISBEHAVIOURS: Readonly<Record<string, Reaction>> = {
  hang,
  drip(response) {
    response.writeHead(200);
    const drip = setInterval(() => response.write('d'), 50).unref();
    response.on('close', () => clearInterval(drip));
  },
  '500': answer(500, {}, 'broken'),
  '429': answer(429, { 'retry-after': '1' }),
  '301': answer(301, { location: 'http://127.0.0.1:1/' }),
  huge: answer(200, {}, HUGE),
  'close-early': (response) => response.destroy(),
  'close-half': (response) => {
    response.writeHead(500, { 'content-length': '100' });
    response.write('half', () => response.destroy());
  },
  well: ok,
  better: ok,
};
/** A request that hangs lasts until its deadline, so only about one request in this number hangs. */
const HANGS_EACH = 10;

export interface Kills {
  readonly kills: number;
  /** Each of the ten endpoints gets this number of messages. */
  readonly messages: number;
}

export interface Outcome {
  readonly deliveries: number;
  readonly duplicates: number;
  readonly mostDuplicates: number;
}

export async function playKills(
  database: TestDatabase & { readonly url: string },
  { kills, messages }: Kills,
): Promise<Outcome> {
  const post = openPost(database);
  /** Counts the answers with status 2xx by path and message. */
  const accepted = new Map<string, number>();
  let seen = 0;
  const receiver = await startReceiver((response, received, count) => {
    seen++;
    const name = received.path.slice(1);
    const isSpared = name === 'hang' && seen % HANGS_EACH !== 0;
    const reaction = count > 1 || isSpared ? ok : (MISBEHAVIOURS[name] ?? ok);
    reaction(response, received, count);
    const isAccepted = response.statusCode < 300 && (response.headersSent || reaction === ok);
    if (!isAccepted) return;
    const key = `${name} ${received.id}`;
    accepted.set(key, (accepted.get(key) ?? 0) + 1);
  });
  const began = Date.now();
  let worker = startWorker(database.url, began);
  try {
    const ctx = await post.organization();
    const names = Object.keys(MISBEHAVIOURS);
    await post.subscribeMany(
      ctx,
      names.map((name) => `${receiver.url}/${name}`),
    );
    const ids: string[] = [];
    const total = messages * names.length;
    for (let kill = 0; kill <= kills; kill++) {
      const share = Math.ceil((messages - ids.length) / (kills - kill + 1));
      if (share > 0) ids.push(...(await post.tell(ctx, share)));
      if (kill === kills) break;
      // The process is killed in the middle of its work, after a few more messages have arrived.
      const enough = Math.min(seen + share * 3, total);
      await until(() => seen >= enough);
      await stop(worker);
      worker = startWorker(database.url, began);
    }
    for (const name of names)
      for (const id of ids) await until(() => accepted.has(`${name} ${id}`), 120_000);
    await until(async () => {
      const { count } = await post.db
        .selectFrom('webhook_deliveries')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('state', '!=', 'DELIVERED')
        .executeTakeFirstOrThrow();
      return Number(count) === 0;
    }, 120_000);
    assert.equal(accepted.size, total);
    const answers = [...accepted.values()].reduce((sum, count) => sum + count, 0);
    const mostDuplicates = kills * LIMITS.total;
    assert.ok(answers - total <= mostDuplicates, `${answers - total} duplicates`);
    return { deliveries: total, duplicates: answers - total, mostDuplicates };
  } finally {
    await stop(worker);
    await receiver.close();
    await post.close();
  }
}

function startWorker(url: string, began: number): ChildProcess {
  return spawn(process.execPath, ['-C', 'quarry', WORKER], {
    env: { ...childEnvironment(), DATABASE: url, BEGAN: String(began) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

async function stop(worker: ChildProcess): Promise<void> {
  const ended = once(worker, 'exit');
  worker.kill('SIGKILL');
  await ended;
}
