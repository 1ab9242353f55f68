/** Plays a few of the rounds that `npm run faults -- --real` plays for long. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { playRounds } from './rounds/rounds.ts';

describe('kill -9 on SQLite', () => {
  it('[JOB-23] [JOB-43] [PSH-05] [PSH-08] [PSH-09] loses nothing and shows nothing that is gone', async () => {
    const tally = await playRounds({
      database: 'sqlite',
      seed: 1,
      rounds: 3,
      server: undefined,
      brief: true,
    });
    assert.equal(tally.kills, 3);
  });
});
