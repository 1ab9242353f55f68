/**
 * Words are searched in memory, where they come from the numbers of terms in the rows of chunks. So the full-text tables of
 * SQLite go, and the chunks of a version before 0013 get numbers. The tables of PostgreSQL go when the program starts
 * (engines/index/postgres-prepare.ts).
 */
import { type Kysely, sql } from 'kysely';
import { termNumbers } from '../../model/terms.ts';
import { indexTerms } from '../../model/title.ts';
import type { DatabaseKind } from '../connect.ts';

const PAGE = 500;

interface UnnumberedChunk {
  readonly n: number;
  readonly name: string;
  readonly heading: string | null;
  readonly text: string;
  readonly is_titled: boolean | number;
}

export const up =
  (kind: DatabaseKind) =>
  async (db: Kysely<unknown>): Promise<void> => {
    for (let after = -1, read = PAGE; read === PAGE; ) {
      const { rows } = await sql<UnnumberedChunk>`
        select b.n, e.name, c.heading, b.text, b.is_titled
        from chunk_bodies as b join chunks as c on c.n = b.n join entities as e on e.id = c.entity
        where b.n > ${after} and b.terms is null order by b.n limit ${sql.lit(PAGE)}`.execute(db);
      if (rows.length > 0) await addNumbers(db, kind, rows);
      after = rows.at(-1)?.n ?? after;
      read = rows.length;
    }
    if (kind === 'sqlite') await dropWords(db);
  };

async function addNumbers(
  db: Kysely<unknown>,
  kind: DatabaseKind,
  rows: readonly UnnumberedChunk[],
): Promise<void> {
  const numbered = JSON.stringify(
    rows.map((row) => {
      const { buffer } = termNumbers(indexTerms(row, Boolean(row.is_titled)));
      return { n: row.n, terms: Buffer.from(buffer).toString('hex') };
    }),
  );
  await (kind === 'sqlite'
    ? sql`update chunk_bodies set terms = unhex(value ->> '$.terms')
        from json_each(${numbered}) where chunk_bodies.n = value ->> '$.n'`
    : sql`update chunk_bodies set terms = decode(numbered.terms, 'hex')
        from jsonb_to_recordset(${numbered}::jsonb) as numbered(n bigint, terms text)
        where numbered.n = chunk_bodies.n`
  ).execute(db);
}

async function dropWords(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select name from sqlite_schema where type = 'table' and name glob 'fts_[0-9]*'
      and sql like 'create virtual table%'`.execute(db);
  for (const { name } of rows) await sql`drop table ${sql.id(name)}`.execute(db);
}
