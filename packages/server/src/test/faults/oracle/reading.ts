/** Reads committed data, on a connection of its own. */
import { DatabaseSync, type StatementSync } from 'node:sqlite';

export interface Reading {
  all<Row>(sql: string, ...parameters: (string | number)[]): Row[];
  /**
   * Names a table with each term of an index's full-text table:
   * https://sqlite.org/fts5.html#the_fts5vocab_virtual_table_module
   */
  vocabulary(index: number): string;
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
    vocabulary(index) {
      const name = `temp.words_${index}`;
      if (!vocabularies.has(name))
        database.exec(
          `create virtual table ${name} using fts5vocab(main, fts_${index}, 'instance')`,
        );
      vocabularies.add(name);
      return name;
    },
    close: () => database.close(),
  };
}
