/** Reads committed data, on a connection of its own. */
import { DatabaseSync, type StatementSync } from 'node:sqlite';

export interface Reading {
  all<Row>(sql: string, ...parameters: (string | number)[]): Row[];
  close(): void;
}

export function createReading(path: string): Reading {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 1000 });
  const statements = new Map<string, StatementSync>();
  return {
    all<Row>(sql: string, ...parameters: (string | number)[]) {
      let statement = statements.get(sql);
      if (!statement) {
        statement = database.prepare(sql);
        statements.set(sql, statement);
      }
      return statement.all(...parameters) as Row[];
    },
    close: () => database.close(),
  };
}
