/** Inserts that fail as on a full disk, while their table is among `tables`. */
import type { KyselyPlugin } from 'kysely';
import type { Schema } from '../../db/schema.ts';

export function diskFull(): { plugin: KyselyPlugin; tables: Set<keyof Schema> } {
  const tables = new Set<keyof Schema>();
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      const table = node.kind === 'InsertQueryNode' && node.into?.table.identifier.name;
      if (table && tables.has(table as keyof Schema))
        throw Object.assign(new Error('database or disk is full'), {
          code: 'ERR_SQLITE_ERROR',
          errcode: 13,
        });
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  return { plugin, tables };
}
