/** Checks a connection before it is saved. */
import type { SourceContext } from '../define.ts';
import type { Credentials } from './credentials.ts';
import { isUnreadable, planParts } from './plan.ts';
import { findRelations, type Selection } from './relations.ts';
import { openSession } from './session.ts';

const STATEMENT_MS = 5_000;

/**
 * Throws a SourceError when the database cannot be reached, a schema does not exist, or a table or query that the
 * configuration names cannot be read.
 */
export async function check(ctx: SourceContext<Selection, Credentials>): Promise<void> {
  const { config, credentials } = ctx;
  const session = await openSession(ctx, STATEMENT_MS);
  try {
    // Without named tables or queries, unreadable tables are accepted here; the sync reports them.
    if (!config.tables && !config.queries) {
      await session.begin();
      await findRelations(session, credentials.schema, config);
      return;
    }
    const refused = (await planParts(session, credentials.schema, config)).find(isUnreadable);
    if (refused) throw refused.error;
  } finally {
    await session.close();
  }
}
