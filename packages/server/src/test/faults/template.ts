/** Every seed begins with this database: it is migrated and has one organization with one empty collection. */
import { createCollections } from '../../collections/service.ts';
import { connect } from '../../db/connect.ts';
import { migrate } from '../../db/migrate.ts';
import { watchRefusal } from '../../db/refused-writes.ts';
import { createSqliteIndex } from '../../engines/index/sqlite.ts';
import { ensureFirstOrganization } from '../../organizations/bootstrap.ts';
import { createSyncs } from '../../syncs/service.ts';
import { contextOf } from '../identity.ts';
import { smallEmbedder } from './embedder.ts';

/** The collection has this readable_id. */
export const COLLECTION = 'company';

export interface Template {
  readonly organizationId: string;
  readonly collectionId: string;
}

export async function makeTemplate(path: string): Promise<Template> {
  const db = connect(path);
  await migrate(db, 'sqlite');
  await ensureFirstOrganization(db, {});
  const { id } = await db.selectFrom('organizations').select('id').executeTakeFirstOrThrow();
  const embedder = smallEmbedder(async () => {});
  const index = createSqliteIndex({ dimensions: embedder.dimensions });
  const syncs = createSyncs({ db, wake: () => {}, whyRefused: watchRefusal(db) });
  const collections = createCollections({ db, embedder, index, syncs, sources: new Map() });
  const ctx = contextOf(id);
  const collection = await collections.create(ctx, { name: 'Company', readable_id: COLLECTION });
  await db.destroy();
  return { organizationId: id, collectionId: collection.id };
}
