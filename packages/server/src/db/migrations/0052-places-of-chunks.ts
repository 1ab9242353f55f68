/**
 * Chunks say at which page, slide, sheet or time of a document they begin, and records of which content their text was
 * extracted. A push may have a file. Each kind of document has a version of its own, which the records that were
 * extracted from such a file get by their names.
 */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../migrate.ts';

/**
 * These are the extensions of the kinds that the version before read. It read the last two as text, so the version 0 has
 * them read again.
 */
const KINDS: readonly (readonly [kind: string, extensions: readonly string[]])[] = [
  ['html-1', ['htm', 'html', 'xhtml']],
  ['pdf-1', ['pdf']],
  ['docx-1', ['docx']],
  ['subtitles-0', ['srt', 'vtt', 'sbv']],
  ['xml-0', ['xml']],
];
const BEFORE = 'extract-4';

export const up =
  ({ bytes }: ColumnTypes) =>
  async (db: Kysely<unknown>): Promise<void> => {
    await db.schema.alterTable('pushes').addColumn('file', bytes).execute();
    await db.schema.alterTable('pushes').addColumn('file_name', 'text').execute();
    await db.schema.alterTable('chunks').addColumn('place', 'text').execute();
    await sql`update chunks set place = 'page ' || page where page is not null`.execute(db);
    await db.schema.alterTable('entities').addColumn('content_hash', 'text').execute();
    await sql`create index entities_content on entities (connection_id, content_hash)
    where content_hash is not null`.execute(db);
    await sql`create index entities_extracted on entities (connection_id, extract_version)
    where extract_version <> ${sql.lit(BEFORE)}`.execute(db);
    for (const [version, extensions] of KINDS) {
      const names = sql.join(
        extensions.map((extension) => sql`lower(name) like ${`%.${extension}`}`),
        sql` or `,
      );
      await sql`update entities set extract_version = ${version}
      where extract_version = ${BEFORE} and (${names})`.execute(db);
    }
  };
