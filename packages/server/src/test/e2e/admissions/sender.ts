/**
 * This process sends counted requests, one after the other, until the limit holds one back. It writes a line for each request
 * that it was allowed to send. Its environment has all of its settings.
 */
import { writeSync } from 'node:fs';
import { connect, databaseKind } from '../../../db/connect.ts';
import { SourceRateLimitExceededException } from '../../../errors.ts';
import { createRateLimiter } from '../../../rate-limits/limiter.ts';
import { cloudNotes } from '../../rate-limits/cloud.ts';

const { DATABASE = '', ORGANIZATION = '', CONNECTION = '' } = process.env;
const kind = databaseKind(DATABASE);
const db = connect(DATABASE);
const sources = new Map([['cloud', cloudNotes()]]);
const limiter = createRateLimiter({ db, kind, url: DATABASE, sources, lockWaitMs: 60_000 });
const send = limiter.limit(
  async () => {
    // The line is written before this process can be killed by whoever reads it.
    writeSync(1, 'sent\n');
    return { status: 200, headers: new Headers(), body: null };
  },
  {
    organizationId: ORGANIZATION,
    shortName: 'cloud',
    connectionId: CONNECTION,
    patienceMs: 0,
  },
);
const { signal } = new AbortController();
const request = { method: 'GET', headers: {}, body: null, signal } as const;
try {
  for (;;) await send(new URL('https://cloud.example.com'), request);
} catch (error) {
  if (!(error instanceof SourceRateLimitExceededException)) throw error;
}
await limiter.close();
await db.destroy();
