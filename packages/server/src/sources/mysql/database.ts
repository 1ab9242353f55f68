/** Opens a MySQL database for sql/pull.ts: finds and describes its tables, and writes the SQL that reads them. */
import { SourceError } from '../../errors.ts';
import type { SourceContext } from '../define.ts';
import type { Selection } from '../sql/config.ts';
import type { Database } from '../sql/database.ts';
import { planParts } from '../sql/plan.ts';
import { findRelations, withoutSemicolon } from '../sql/relations.ts';
import { shapeOf } from '../sql/shape.ts';
import { columnOf, columnSql, type WireColumn } from './columns.ts';
import type { MysqlCredentials } from './credentials.ts';
import { findReferences } from './references.ts';
import { type MysqlRelation, mysqlCatalog } from './relations.ts';
import { partOf } from './select.ts';
import { type MysqlSession, openSession } from './session.ts';

export async function openDatabase(
  ctx: SourceContext<unknown, MysqlCredentials>,
  statementMs: number,
): Promise<Database> {
  const session = await openSession(ctx, statementMs);
  const { begin, commit, rollback, close } = session;
  const relations = async (selection: Selection) =>
    findRelations(await mysqlCatalog(session), session.home, selection);
  return {
    begin,
    commit,
    rollback,
    close,
    relations,
    plan: (selection) =>
      planParts({
        begin,
        commit,
        rollback,
        relations: () => relations(selection),
        describe(relation) {
          const query = selection.queries?.find(({ name }) => name === relation.name);
          return describe(session, relation, query?.query ?? null);
        },
        async parts(described) {
          const references = await findReferences(
            session,
            described.map(({ relation }) => relation),
          );
          return described.map(({ relation, columns }, i) =>
            partOf(
              session,
              shapeOf(relation, columns.map(columnOf), references[i] ?? []),
              relation.table,
            ),
          );
        },
      }),
  };
}

/**
 * A query is prepared alone first, and then within our statement: a query that closes the parenthesis around it is an
 * error when it is alone.
 */
async function describe(
  session: MysqlSession,
  { table, from }: MysqlRelation,
  query: string | null,
): Promise<readonly WireColumn[]> {
  if (query !== null) {
    const { parameters } = await session.prepare(withoutSemicolon(query));
    if (parameters > 0)
      throw new SourceError(
        'config',
        'it has parameters (?), for which there are no values: write the values into the query',
      );
  }
  const columns = table ? table.columns.map(columnSql).join(', ') : '*';
  const prepared = await session.prepare(`select ${columns} from ${from}`);
  return prepared.columns;
}
