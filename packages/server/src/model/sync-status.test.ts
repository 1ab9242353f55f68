import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { MOVES, statusesBefore, UNFINISHED } from './sync-status.ts';

const DOCS = new URL('../../../../docs/sync-jobs.md', import.meta.url);

describe('states of a sync job', () => {
  it('[JOB-15] only the unfinished states have transitions to other states', () => {
    assert.deepEqual([...UNFINISHED].toSorted(), ['CANCELLING', 'PENDING', 'RUNNING']);
    assert.deepEqual(statusesBefore('cancel'), ['PENDING', 'RUNNING']);
  });

  it('the documentation draws every transition, and no other', () => {
    const moves = Object.entries(MOVES).flatMap(([name, move]) =>
      Object.entries(move).map(([from, to]) => `  ${from} --> ${to}: ${name}`),
    );
    const drawn = readFileSync(DOCS, 'utf8').match(/^ {2}[A-Z]+ --> [A-Z]+: .*$/gm);
    assert.deepEqual(drawn?.toSorted(), moves.toSorted());
  });
});
