/** Says whether a database belongs to an installation. */
import { tableNames } from '../db/catalog.ts';
import type { DatabaseKind } from '../db/connect.ts';
import type { Db } from '../db/schema.ts';

/** All data belong to organizations. The first start makes one, and migrations alone make none. */
export async function hasData(db: Db, kind: DatabaseKind): Promise<boolean> {
  if (!(await tableNames(db, kind)).includes('organizations')) return false;
  const row = await db.selectFrom('organizations').select('id').limit(1).executeTakeFirst();
  return row !== undefined;
}
