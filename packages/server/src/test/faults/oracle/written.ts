/**
 * Finds, from the text of a statement, the table that the statement writes. It writes no other table: no trigger and no
 * cascade changes a table that the oracle reads.
 */
const READS = /^\s*(select|with recursive|begin|commit|rollback|savepoint|release)\b/i;
const WRITES = /^\s*(?:insert into|update|delete from)\s+"?(\w+)"?/i;
/** An update that sets a column to itself only takes the lock of a row. */
const LOCKS = /^update "\w+" set "(\w+)" = \1 where/;

const known = new Map<string, readonly string[]>();

export function tableWritten(statement: string): readonly string[] {
  let tables = known.get(statement);
  if (!tables) {
    tables = tablesOf(statement);
    known.set(statement, tables);
  }
  return tables;
}

function tablesOf(statement: string): readonly string[] {
  if (READS.test(statement) || LOCKS.test(statement)) return [];
  const table = WRITES.exec(statement)?.[1];
  if (!table) throw new Error(`which table does this write? ${statement}`);
  return [table];
}
