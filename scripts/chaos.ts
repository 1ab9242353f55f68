/**
 * `npm run chaos [-- --minutes N] [--seed S]` plays with several machines: three processes for requests behind nginx and
 * three workers, with one wrong clock among each, on a PostgreSQL with a standby behind PgBouncer. In turns they are restarted one by one,
 * killed, put to sleep, and lose their database, which restarts and fails over. After each part, everything that
 * the service shows must be as the world is; while they are restarted one by one, no request may fail.
 *
 * A cycle takes about five minutes, and a new one begins until the time is over. From 30 minutes on, the first cycle kills for ten minutes.
 */
import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type ChaosFigures, playChaos } from '../packages/server/src/test/chaos/chaos.ts';
import { numberOf, report } from './arguments.ts';
import { answerHelp, tellProgress } from './help.ts';
import { makeTemporary } from './temporary.ts';

answerHelp(import.meta.filename);
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
  },
});
const temporary = makeTemporary();
await report(async () => {
  const figures = await playChaos({
    minutes: numberOf(values.minutes),
    seed: numberOf(values.seed),
    tell: (text) => tellProgress(`${new Date().toISOString().slice(11, 19)} ${text}`),
  });
  return describe(figures);
});
rmSync(temporary, { recursive: true, force: true });

function describe({ tally, phases }: ChaosFigures): string {
  for (const [phase, { requests, failed }] of phases) {
    const kinds = [...failed].map(([kind, times]) => `${times} ${kind}`).join(', ');
    console.log(`${phase}: ${requests} requests, failed: ${kinds || 'none'}`);
  }
  for (const { what, readMs, writeMs } of tally.outages)
    console.log(
      `${what}: read again after ${(readMs / 1000).toFixed(1)} s, written after ${(writeMs / 1000).toFixed(1)} s`,
    );
  const { cycles, restarts, kills, sleeps, jobs, looks, streams, streamsOpenedAgain } = tally;
  return `${cycles} cycles, ${restarts} restarts, ${kills} kills, ${sleeps} sleeps, ${jobs} jobs, ${looks} looks, ${streams} streams (${streamsOpenedAgain} opened again): nothing was lost`;
}
