/** Plays a few of the rounds that `npm run faults -- --real --database postgres` plays for long. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { playRounds } from '../e2e/rounds/rounds.ts';
import { type PostgresServer, startPostgres } from '../postgres-server.ts';

describe('kill -9 and sleep of two of each process on PostgreSQL', () => {
  let server: PostgresServer;
  before(async () => {
    server = await startPostgres();
  });
  after(() => server.stop());

  it('[GEN-32] [JOB-23] [PSH-05] [PSH-08] [PSH-09] loses nothing and shows nothing that is gone', async () => {
    const tally = await playRounds({
      database: 'postgres',
      seed: 1,
      rounds: 3,
      server: server.url,
      brief: true,
    });
    assert.deepEqual([tally.kills, tally.sleeps], [2, 1]);
  });
});
