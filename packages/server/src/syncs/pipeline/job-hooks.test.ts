import assert from 'node:assert/strict';
import { it } from 'node:test';
import pino from 'pino';
import { hooksOf } from './job-hooks.ts';
import { createUpkeep } from './upkeep.ts';

type Deps = Parameters<typeof createUpkeep>[0];

it('a failure of the upkeep after a commit does not fail the sync, and idle moments do the rest', async () => {
  let steps = 0;
  const index = {
    async maintain() {
      steps++;
      if (steps === 1) throw new Error('the index is broken');
      return false;
    },
  };
  const lines: { msg: string; jobId: string }[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const upkeep = createUpkeep({ db: {}, index } as unknown as Deps, []);
  const hooks = hooksOf({ upkeep, log }, { id: 'job', trigger: 'manual' }, 'collection');
  for (let commit = 0; commit < 12; commit++) await hooks.afterCommit('RUNNING');
  assert.equal(steps, 1);
  assert.deepEqual(
    lines.map(({ msg, jobId }) => [msg, jobId]),
    [['the upkeep of the index failed', 'job']],
  );
  await upkeep.tidy(() => true);
  assert.equal(steps, 2);
  await assert.rejects(hooks.afterCommit('CANCELLING'), { name: 'Stopped' });
});
