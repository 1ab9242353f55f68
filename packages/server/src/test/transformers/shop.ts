/** Opens a service with a folder of transformer modules, and a source whose records the tests transform. */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { catalog } from '../../sources/catalog.ts';
import { definitionId } from '../../sources/definitions.ts';
import { openTestQuarry } from '../app/quarry.ts';
import { testWorld } from '../app/source.ts';
import type { TestDatabase } from '../databases.ts';
import { until } from '../until.ts';

const MODULES = fileURLToPath(new URL('./modules/', import.meta.url));
export const PAGE = definitionId('world', 'Page');
export const POST = definitionId('world', 'Post');
export const PUSHED = definitionId('push', 'PushedEntity');

export type Shop = Awaited<ReturnType<typeof openShop>>;

export async function openShop(
  database: TestDatabase,
  env: Record<string, string> = {},
  log?: Logger,
) {
  const root = mkdtempSync(join(tmpdir(), 'quarry-shop-'));
  const folder = join(root, 'modules');
  mkdirSync(folder);
  cpSync(MODULES, folder, { recursive: true });
  const { source, world } = testWorld();
  const quarry = await openTestQuarry(database, {
    sources: new Map([...catalog, ['world', source]]),
    env: { QUARRY_TRANSFORMERS_DIR: folder, QUARRY_FILES_ROOTS: root, ...env },
    ...(log && { log }),
  });
  let made = 0;

  async function transformer(method: string, more: object = {}): Promise<string> {
    const created = await quarry.ok('POST', '/v1/transformers', {
      name: method,
      method_name: method,
      module_name: 'kind.js',
      input_entity_definition_ids: [PAGE, PUSHED],
      output_entity_definition_ids: [PAGE, POST, PUSHED],
      config_schema: {},
      ...more,
    });
    return created.id;
  }

  async function collection(): Promise<string> {
    const readable = `shop-${made++}`;
    await quarry.ok('POST', '/v1/collections', { name: 'Shop', readable_id: readable });
    return readable;
  }

  async function connect(collectionId: string, transformers: object[] = [], more: object = {}) {
    const created = await quarry.ok('POST', '/v1/source-connections', {
      name: 'The world',
      short_name: 'world',
      readable_collection_id: collectionId,
      authentication: { credentials: { password: 'right' } },
      sync_immediately: false,
      schedule: { cron: null },
      transformers,
      ...more,
    });
    return created.id as string;
  }

  const use = (connection: string, transformers: object[]) =>
    quarry.ok('PATCH', `/v1/source-connections/${connection}`, { transformers });

  /** Maps the ids of all records to their texts. */
  async function texts(collectionId: string): Promise<Record<string, string>> {
    const { items } = await quarry.ok(
      'GET',
      `/v1/collections/${collectionId}/contents/list?limit=1000`,
    );
    const read = async ({ id, entity_id }: { id: string; entity_id: string }) => {
      const url = `/v1/collections/${collectionId}/contents/read?id=${encodeURIComponent(id)}`;
      const { chunks } = await quarry.ok('GET', url);
      return [entity_id, chunks.map((chunk: { text: string }) => chunk.text).join('\n')];
    };
    return Object.fromEntries(await Promise.all(items.map(read)));
  }

  async function failures(connection: string, job: string) {
    const url = `/v1/source-connections/${connection}/jobs/${job}/failures?limit=1000`;
    return quarry.ok('GET', url);
  }

  async function reprocess(connection: string) {
    await quarry.ok('POST', `/v1/source-connections/${connection}/reprocess`);
    return quarry.settled(connection);
  }

  /** Makes all chunks of the collection again. */
  async function reindex(collectionId: string): Promise<void> {
    const { id } = await quarry.ok('POST', `/v1/collections/${collectionId}/reindex`);
    const run = `/v1/collections/${collectionId}/maintenance/${id}`;
    await until(async () => (await quarry.ok('GET', run)).status === 'COMPLETED' || undefined);
  }

  return {
    ...quarry,
    world,
    root,
    folder,
    transformer,
    collection,
    connect,
    use,
    texts,
    failures,
    reprocess,
    reindex,
    async close() {
      await quarry.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Returns these counts of a job, in this order: inserted, updated, deleted, kept, skipped, failed. */
export const counts = (job: Record<string, number>) =>
  ['inserted', 'updated', 'deleted', 'kept', 'skipped', 'failed'].map(
    (name) => job[`entities_${name}`],
  );
