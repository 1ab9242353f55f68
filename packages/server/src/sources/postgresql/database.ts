/** Opens a PostgreSQL database for sql/pull.ts: finds and describes its tables, and writes the SQL that reads them. */
import { must } from '../../util.ts';
import type { SourceContext } from '../define.ts';
import type { Database, Part } from '../sql/database.ts';
import { planParts } from '../sql/plan.ts';
import { findRelations } from '../sql/relations.ts';
import { type Shape, shapeOf } from '../sql/shape.ts';
import type { Credentials } from './credentials.ts';
import { fromMark, markOf, newestMark } from './marks.ts';
import { findReferences } from './references.ts';
import { postgresCatalog } from './relations.ts';
import { type DatabaseSession, openSession } from './session.ts';
import { columnSql, type PostgresColumn, readTypes, select, typedColumns } from './shape.ts';

export async function openDatabase(
  ctx: SourceContext<unknown, Credentials>,
  statementMs: number,
): Promise<Database> {
  const session = await openSession(ctx, statementMs);
  const { begin, commit, rollback, close } = session;
  const home = ctx.credentials.schema;
  const catalog = postgresCatalog(session, home);
  return {
    begin,
    commit,
    rollback,
    close,
    relations: (selection) => findRelations(catalog, home, selection),
    plan: (selection) =>
      planParts({
        begin,
        commit,
        rollback,
        relations: () => findRelations(catalog, home, selection),
        describe: ({ from }) => session.columns(`select * from ${from} limit 0`),
        async parts(described) {
          const oids = described.flatMap(({ columns }) => columns.map(({ typeOid }) => typeOid));
          const types = await readTypes(session, new Set(oids));
          const references = await findReferences(
            session,
            described.map(({ relation }) => relation),
          );
          return described.map(({ relation, columns }) => {
            const found = references.get(relation.table?.oid ?? -1) ?? [];
            return partOf(session, shapeOf(relation, typedColumns(columns, types), found));
          });
        },
      }),
  };
}

function partOf(session: DatabaseSession, shape: Shape<PostgresColumn>): Part {
  const { relation, columns } = shape;
  const column = (name: string) => must(columns.find((one) => one.name === name));
  const key = relation.key.map(columnSql).join(', ');
  return {
    shape,
    newestMark: ({ name }) => newestMark(session, relation, column(name)),
    rows(after) {
      const all = select(shape, 'null');
      if (!after) return session.stream(`${all} order by ${key}`, []);
      const values = relation.key.map((name, i) => `$${i + 1}::${column(name).type.sql}`);
      const text = `${all} where (${key}) > (${values.join(', ')}) order by ${key}`;
      return session.stream(text, after);
    },
    rowsFrom({ name }, mark) {
      const by = column(name);
      const order = `${columnSql(name)}, ${key}`;
      const text = `${select(shape, markOf(by))} where ${fromMark(by)} order by ${order}`;
      return session.stream(text, [mark]);
    },
    placeOf: (row) => row.slice(0, relation.key.length).map((value) => must(value)),
  };
}
