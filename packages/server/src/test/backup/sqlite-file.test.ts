/** A copy on SQLite is whole in its own file, and other commands write nothing while a move reads. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { withContentsAlone } from '../../backup/contents.ts';
import { copyIntoSqlite } from '../../backup/copy-into.ts';
import { tableShapes } from '../../db/catalog.ts';
import { connect } from '../../db/connect.ts';
import { COPIED_TABLES } from '../../db/copied-tables.ts';
import { inSnapshot } from '../../db/snapshot.ts';
import { must } from '../../util.ts';
import { insertOrganization } from '../api/rows.ts';
import { DATABASES, type TestDatabase } from '../databases.ts';
import { awkwardContents } from './awkward.ts';
import { MIGRATIONS } from './copies.ts';

describe('a copy with SQLite', () => {
  let source: TestDatabase;
  let folder: string;
  before(async () => {
    source = await must(DATABASES[0]).open();
    folder = mkdtempSync(join(tmpdir(), 'quarry-copy-'));
  });
  after(async () => {
    await source.close();
    rmSync(folder, { recursive: true });
  });

  it('gets no name while its rows are only in the log beside its file', async () => {
    const path = join(folder, 'quarry.db');
    const shapes = await tableShapes(source.db, 'sqlite', COPIED_TABLES);
    const reader = connect(`${path}.restoring`);
    const held = Promise.withResolvers<void>();
    let reading = Promise.resolve();
    /** SQLite cannot empty the log while somebody reads the state from before the copy. */
    const read = async () => {
      const begun = Promise.withResolvers<void>();
      reading = inSnapshot(reader, async (tx) => {
        await sql`select count(*) from sqlite_schema`.execute(tx);
        begun.resolve();
        await held.promise;
      });
      await begun.promise;
    };
    await assert.rejects(
      copyIntoSqlite(path, {
        migrations: MIGRATIONS,
        parts: awkwardContents(shapes, () => ({ rows: 3 })),
        progress: () => undefined,
        lastCheck: read,
      }),
      /the rows could not be written into .*quarry\.db\.restoring/,
    );
    held.resolve();
    await reading;
    await reader.destroy();
    assert.deepEqual(readdirSync(folder), []);
  });

  it('keeps the writes of other commands away during a move', async () => {
    const command = connect(must(source.url), { lockWaitMs: 0 });
    try {
      await withContentsAlone(source, async () => {
        await assert.rejects(insertOrganization(command), /locked/);
      });
      await insertOrganization(command);
    } finally {
      await command.destroy();
    }
  });
});
