/** Records change while a search for lines runs, between the read of the chunks and the read of their records. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { KyselyPlugin } from 'kysely';
import { must } from '../../util.ts';
import { openTestApi, type TestApi } from '../api/harness.ts';
import { DATABASES, type TestDatabase } from '../databases.ts';
import { type Connection, type Library, libraryOn } from '../search/library.ts';

const ANN = { 'x-principals': 'user:ann@example.com' };

describe('lines of records that change meanwhile', () => {
  let api: TestApi;
  let opened: TestDatabase;
  let library: Library;
  let books: string;
  let connection: Connection;
  /** Called when chunks have been read, and their records have not. */
  let atChunks = async (): Promise<void> => {};

  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      const [row] = result.rows;
      if (row && 'position' in row && 'text' in row) await atChunks();
      return result;
    },
  };

  before(async () => {
    // SQLite gives the test more than one connection.
    opened = await must(DATABASES.find(({ name }) => name === 'sqlite')).open();
    api = await openTestApi({ ...opened, db: opened.db.withPlugin(plugin) });
    library = libraryOn(opened, 'exact', (await api.owner()).organizationId);
    const given = { body: { name: 'Books', readable_id: 'books' } };
    books = (await api.call('POST', '/v1/collections', given)).body.id;
    connection = await library.addConnection(books);
  });
  after(() => api.close());

  let version = 0;
  async function write(text: string, viewers: readonly string[]): Promise<void> {
    await library.put(books, connection, [{ id: 'plan', text }]);
    await opened.db
      .updateTable('entities')
      .set({ hash: `${++version}`, viewers: JSON.stringify(viewers) })
      .where('entity_id', '=', 'plan')
      .execute();
  }

  async function linesOf(pattern: string): Promise<string[]> {
    const path = '/v1/collections/books/contents/grep';
    const { body } = await api.call('POST', path, { body: { pattern }, headers: ANN });
    return body.records.flatMap(({ lines }: { lines: { line: string }[] }) =>
      lines.map(({ line }) => line),
    );
  }

  it('[ENT-17] what a record said is not shown to whom it was opened afterwards', async () => {
    for (const pattern of ['plan', 'secret']) {
      await write('The secret plan.', ['group:team']);
      atChunks = async () => {
        atChunks = async () => {};
        await write('The plan for everybody.', ['user:ann@example.com']);
      };
      assert.deepEqual(await linesOf(pattern), []);
    }
    assert.deepEqual(await linesOf('plan'), ['The plan for everybody.']);
  });

  it('[ENT-17] one that changes at every look is found as it was before', async () => {
    await library.put(books, connection, [{ id: 'calm', text: 'A calm plan.' }]);
    await write('The plan.', ['user:ann@example.com']);
    atChunks = () => write('The plan.', ['user:ann@example.com']);
    assert.deepEqual(await linesOf('plan'), ['A calm plan.', 'The plan.']);
  });
});
