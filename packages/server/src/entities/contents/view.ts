/**
 * A view decides which part of a collection an asker may see: first which connections, as of one moment, and then
 * which of the rows that were read from them.
 */
import type { Db } from '../../db/schema.ts';
import { everything } from '../../model/filter.ts';
import { maySee } from '../../search/read.ts';
import { type Asker, openView } from '../../search/scope.ts';
import { groupsOf } from '../../search/store.ts';

export type ContentsView = Awaited<ReturnType<typeof openContents>>;

export async function openContents(db: Db, asker: Asker) {
  const view = await openView(db, asker);
  const scope = view.scope(everything);
  return {
    ...view,
    live: scope.live,
    /** The list also holds the asker's groups; null means that access control does not apply. */
    principals: scope.principals,
    /** Returns the ids of the connections of this source, or of all connections when no source is given. */
    of: (source: string | undefined) =>
      view.connections
        .filter(({ short_name }) => source === undefined || short_name === source)
        .map((connection) => connection.id),
    /**
     * Returns the rows that the asker may see with the groups to which it belonged both before and after the read.
     */
    async seen<Row extends Parameters<typeof maySee>[1]>(rows: readonly Row[]): Promise<Row[]> {
      if (rows.length === 0) return [];
      const held = await stillHeld(db, asker, scope.principals);
      return rows.filter((row) => maySee(held, row));
    },
  };
}

/**
 * Returns the principals that the asker had before the rows were read and still has, so that a user who has left a
 * group cannot read a text that was written afterwards.
 */
async function stillHeld(
  db: Db,
  { organizationId, principals: named }: Asker,
  principals: readonly string[] | null,
): Promise<ReadonlySet<string> | null> {
  if (named === null || principals === null) return null;
  if (principals.every((one) => named.includes(one))) return new Set(principals);
  const now = new Set([...named, ...(await groupsOf(db, organizationId, named))]);
  return new Set(principals.filter((one) => now.has(one)));
}
