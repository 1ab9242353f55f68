/** Frees what processes that have all ended still hold in the database: jobs, deliveries and renewals of tokens. */
import type { Db } from './db/schema.ts';
import { takeOverAll } from './jobs/queue.ts';
import { endClaims } from './sign-in/token-store.ts';
import { takeOverDeliveries } from './webhooks/deliver/queue-store.ts';

/** The caller knows that no process uses the database. The work goes on as after a crash. */
export async function takeOverFromDead(db: Db): Promise<void> {
  await takeOverAll(db);
  await takeOverDeliveries(db);
  await endClaims(db);
}
