/** Checks a connection to a database before it is saved. */
import type { SourceContext } from '../define.ts';
import type { Selection } from './config.ts';
import type { DatabaseOpener } from './database.ts';
import { isUnreadable } from './plan.ts';

const STATEMENT_MS = 5_000;

/**
 * The function throws a SourceError when the database cannot be reached, a schema does not exist, or a table or query
 * that the configuration names cannot be read.
 */
export const checkWith =
  <Credentials>(open: DatabaseOpener<Credentials>) =>
  async (ctx: SourceContext<Selection, Credentials>): Promise<void> => {
    const { config } = ctx;
    const database = await open(ctx, STATEMENT_MS);
    try {
      // Without named tables or queries, unreadable tables are accepted here; the sync reports them.
      if (!config.tables && !config.queries) {
        await database.begin();
        await database.relations(config);
        return;
      }
      const refused = (await database.plan(config)).find(isUnreadable);
      if (refused) throw refused.error;
    } finally {
      await database.close();
    }
  };
