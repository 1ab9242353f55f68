import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import {
  insertCollection,
  insertConnection,
  insertEntity,
  insertOrganization,
} from '../../test/api/rows.ts';
import { DATABASES, type TestDatabase } from '../../test/databases.ts';
import { openBefore } from '../../test/older-database.ts';
import { must, newId } from '../../util.ts';
import { migrate } from '../migrate.ts';

const NO_CHAIN = { chain: null, chain_version: null, failed_attempt: null };
const PLAIN = {
  extract_version: 'extract-3',
  chunk_version: 'split-3 terms-1 a-model',
  is_searchable: true,
  is_listable: true,
  ...NO_CHAIN,
  is_damaged: false,
};
const PASSED = { chain: '0a1b', chain_version: 'ff00' };

const CASES = {
  'extract-3 split-3 terms-1 a-model vectors listed': PLAIN,
  'extract-3 split-3 terms-1 a-model no-vectors listed': { ...PLAIN, is_searchable: false },
  'extract-3 split-3 terms-1 a-model vectors unlisted': { ...PLAIN, is_listable: false },
  'extract-3 split-3 terms-1 a-model no-vectors unlisted via:0a1b:ff00': {
    ...PLAIN,
    ...PASSED,
    is_searchable: false,
    is_listable: false,
  },
  'extract-3 split-3 terms-1 a-model vectors listed via:0a1b:!attempt-1:ff00': {
    ...PLAIN,
    ...PASSED,
    failed_attempt: 'attempt-1',
  },
  'unreadable split-3 terms-1 a-model vectors listed': {
    ...PLAIN,
    extract_version: 'unreadable',
    is_damaged: true,
  },
  'unreadable split-3 terms-1 a-model no-vectors listed via:0a1b:!attempt-1:ff00': {
    ...PLAIN,
    ...PASSED,
    extract_version: 'unreadable',
    is_searchable: false,
    failed_attempt: 'attempt-1',
    is_damaged: true,
  },
  // A model has the name that its provider gives it.
  'extract-1 split-2 terms-1 hf:org/model@v1.5-512 vectors listed via:00:11': {
    ...PLAIN,
    extract_version: 'extract-1',
    chunk_version: 'split-2 terms-1 hf:org/model@v1.5-512',
    chain: '00',
    chain_version: '11',
  },
};
/** There are more recipes than fit into one statement of the migration. */
const MODELS = 120;

for (const database of DATABASES)
  describe(`the columns of a recipe on ${database.name}`, () => {
    let test: TestDatabase;
    const owner = { collection_id: newId(), organization_id: newId(), connection_id: '' };
    /** Maps the ids of entities to their recipes. */
    const recipes = new Map<string, string>();

    before(async () => {
      test = await openBefore(database, '0021');
      await insertOrganization(test.db, owner.organization_id);
      const { collection_id, organization_id } = owner;
      const collection = { id: collection_id, organization_id };
      await insertCollection(test.db, collection);
      owner.connection_id = await insertConnection(test.db, collection);
      // Two entities have the same recipe.
      for (const recipe of [...Object.keys(CASES), ...Object.keys(CASES)]) await add(recipe);
      for (let i = 0; i < MODELS; i++)
        await add(`extract-3 split-3 terms-1 model-${i} vectors listed`);
      await migrate(test.db, test.kind);
    });
    after(() => test.close());

    async function add(recipe: string): Promise<void> {
      recipes.set(await insertEntity(test.db, owner, { recipe } as object), recipe);
    }
    async function recipesBySource() {
      const rows = await test.db
        .selectFrom('entities')
        .select(['id', 'extract_version', 'chunk_version', 'is_searchable', 'is_listable'])
        .select(['chain', 'chain_version', 'failed_attempt', 'is_damaged'])
        .execute();
      return rows.map(({ id, ...columns }) => [must(recipes.get(id)), columns] as const);
    }

    it('have every part of the recipe', async () => {
      const found = await recipesBySource();
      assert.equal(found.length, recipes.size);
      const expected = new Map(Object.entries(CASES));
      for (const [recipe, columns] of found) {
        const [, model] = / (model-\d+) /.exec(recipe) ?? [];
        const other = { ...PLAIN, chunk_version: `split-3 terms-1 ${model}` };
        assert.deepEqual({ ...columns }, expected.get(recipe) ?? other, recipe);
      }
    });

    it("replace the old columns of recipes and leases, and the migration's own table", async () => {
      for (const [table, column] of [
        ['entities', 'recipe'],
        ['sync_jobs', 'lease_token'],
        ['maintenance_tasks', 'lease_token'],
        ['recipe_parts', '1'],
      ] as const)
        await assert.rejects(
          sql`select ${sql.raw(column)} from ${sql.raw(table)}`.execute(test.db),
          /no such (column|table)|does not exist/,
          `${table}.${column}`,
        );
    });
  });
