/** Checks a connection before it is saved. */
import type { SourceContext } from '../define.ts';
import type { Credentials } from './credentials.ts';
import { isUnreadable, planParts } from './plan.ts';
import { findRelations, type Selection } from './relations.ts';
import { openSession } from './session.ts';

const STATEMENT_MS = 5_000;

/** Throws a SourceError when the database, the schema or something that the configuration names cannot be read. */
export async function check(ctx: SourceContext<Selection, Credentials>): Promise<void> {
  const { config, credentials } = ctx;
  const session = await openSession(ctx, STATEMENT_MS);
  try {
    // When the configuration names no tables, some tables may be unreadable, and the sync reports them. A named table
    // must be readable.
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
