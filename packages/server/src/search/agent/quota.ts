/** Applies `quotas.agentic_queries_per_hour` of an organization; null or absent means any number. */
import type { Kysely } from 'kysely';
import type { Ctx } from '../../context.ts';
import type { DatabaseKind } from '../../db/connect.ts';
import type { Schema } from '../../db/schema.ts';
import { quotaExceeded } from '../../errors.ts';
import { countQuery, restOfHour } from './quota-store.ts';

export interface Quota {
  /** Counts an accepted request. Throws a 429 when the limit of this hour is reached. */
  take(ctx: Ctx): Promise<void>;
}

export const createQuota = (db: Kysely<Schema>, kind: DatabaseKind): Quota => ({
  async take({ organization }) {
    const limit = organization.quotas.agentic_queries_per_hour ?? null;
    if (await countQuery(db, kind, { organizationId: organization.id, limit })) return;
    throw quotaExceeded(
      `the organization's ${limit} agentic searches of this hour are used up; go on in the next one`,
      await restOfHour(db, kind),
    );
  },
});
