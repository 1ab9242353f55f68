/** Checks the list of records and their details: they show the records of connections that exist, and no others. */
import type { Kysely } from 'kysely';
import type { Ctx } from '../../context.ts';
import type { Schema } from '../../db/schema.ts';
import { createEntities } from '../../entities/service.ts';
import { AppError } from '../../errors.ts';
import { same } from '../random/violation.ts';
import type { Oracle } from './oracle/oracle.ts';

const RULE = 'the list of records shows what is there';
const MOST = 10_000;

export function openRecords(db: Kysely<Schema>, oracle: Oracle) {
  const resolve = () => Promise.reject(new Error('no collection is asked for'));
  const entities = createEntities({ db, collections: { resolve } });

  const isFound = (ctx: Ctx, id: string): Promise<boolean> =>
    entities.get(ctx, id).then(
      () => true,
      (error) => {
        if (error instanceof AppError && error.status === 404) return false;
        throw error;
      },
    );

  return {
    /** The caller makes sure that nothing else happens during the check. */
    async check(ctx: Ctx): Promise<void> {
      const listed: string[] = [];
      for (const [connectionId, rows] of oracle.rows) {
        const isLiving = oracle.connection(connectionId)?.row.deleted_at === null;
        const shown = [...rows.values()].filter((row) => isLiving && row.is_listed);
        listed.push(...shown.map(({ id }) => id));
        for (const row of [...rows.values()].slice(0, 1))
          same(await isFound(ctx, row.id), shown.includes(row), RULE, row.entity_id);
      }
      const { total, rows: all } = await entities.list(ctx, { skip: 0, limit: MOST });
      same(total, listed.length, RULE, 'the total');
      const ids = all.map(({ id }) => id).toSorted();
      same(ids.join(), listed.toSorted().join(), RULE, 'the list');
    },
  };
}
