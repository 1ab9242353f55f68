/** Which table a statement writes. Nothing else is written by it: no trigger and no cascade reaches a table that the oracle looks at. */
const READS = /^\s*(select|begin|commit|rollback|savepoint|release|with recursive)\b/i;
const WRITES =
  /^\s*(?:insert into|update|delete from|drop table|create virtual table)\s+"?(\w+)"?/i;

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
  if (READS.test(statement)) return [];
  const table = WRITES.exec(statement)?.[1];
  if (!table) throw new Error(`which table does this write? ${statement}`);
  // Its shadow tables are part of a full-text one.
  return [table.replace(/^(fts_\d+)_\w+$/, '$1')];
}
