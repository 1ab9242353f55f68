/** Reads what is committed, on a connection of its own. */
import { DatabaseSync, type StatementSync } from 'node:sqlite';

export interface Reading {
  all<Row>(sql: string, ...parameters: (string | number)[]): Row[];
  /** The full-text table of an index as rows: https://sqlite.org/fts5.html#the_fts5vocab_virtual_table_module */
  vocabulary(index: number, type: 'instance' | 'row'): string;
  close(): void;
}

export function createReading(path: string): Reading {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 1000 });
  const statements = new Map<string, StatementSync>();
  const vocabularies = new Set<string>();
  return {
    all<Row>(sql: string, ...parameters: (string | number)[]) {
      let statement = statements.get(sql);
      if (!statement) {
        statement = database.prepare(sql);
        statements.set(sql, statement);
      }
      return statement.all(...parameters) as Row[];
    },
    vocabulary(index, type) {
      const name = `temp.${type}_${index}`;
      if (!vocabularies.has(name))
        database.exec(
          `create virtual table ${name} using fts5vocab(main, fts_${index}, '${type}')`,
        );
      vocabularies.add(name);
      return name;
    },
    close: () => database.close(),
  };
}
