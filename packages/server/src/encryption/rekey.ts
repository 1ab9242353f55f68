/**
 * Seals the stored values again with the present encryption key, while services use them.
 *
 * Each row is one statement, which writes nothing if the row has changed since it was read. So a value that a service
 * writes meanwhile stays, and no row stays locked while the run waits for another row. A run that is killed leaves some
 * rows sealed with each key. Services that have both keys open all of them, and the next run moves the rest.
 */
import type { Db } from '../db/schema.ts';
import { SEALED_TABLES, type SealAgain, type SealedTableName } from '../db/sealed-columns.ts';
import { sealAgain, type Vault } from '../secrets.ts';
import {
  countOtherwiseSealed,
  findOtherwiseSealed,
  pageOfOtherwiseSealed,
  replaceSealed,
  type SealedRow,
} from './sealed-store.ts';

const BATCH = 100;
/** A row that a service changes at the same moment is read again this often. */
const ATTEMPTS = 5;

interface UnopenedRow {
  readonly table: SealedTableName;
  readonly id: string;
}

export interface RekeyProgress {
  /** It is called after each batch. `total` is the number of rows that were to be moved at the beginning. */
  moved(done: number, total: number): void;
  /** No key of the vault opens this row. */
  unopened(row: UnopenedRow): void;
}

export interface RekeyOutcome {
  /** These rows were moved to the present key. */
  readonly moved: Readonly<Record<SealedTableName, number>>;
  /** No key of the vault opens these rows, which are unchanged. */
  readonly unopened: number;
  /** A service has sealed these rows with another key meanwhile. */
  readonly sealedMeanwhile: number;
}

const TABLES = Object.keys(SEALED_TABLES) as SealedTableName[];

export async function rekey(db: Db, vault: Vault, progress: RekeyProgress): Promise<RekeyOutcome> {
  const total = await countToMove(db, vault);
  const moved = Object.fromEntries(TABLES.map((table) => [table, 0])) as Record<
    SealedTableName,
    number
  >;
  let done = 0;
  let unopened = 0;
  for (const table of TABLES)
    for await (const rows of pages(db, vault, table)) {
      for (const row of rows) {
        const outcome = await move({ db, vault, table }, row);
        if (outcome === 'moved') moved[table] += 1;
        if (outcome !== 'unopened') continue;
        unopened += 1;
        progress.unopened({ table, id: row.id });
      }
      done += rows.length;
      progress.moved(done, Math.max(done, total));
    }
  const left = await countToMove(db, vault);
  return { moved, unopened, sealedMeanwhile: Math.max(0, left - unopened) };
}

/** Counts the rows that are sealed with another key than the present one. */
export async function countToMove(db: Db, { keyId }: Vault): Promise<number> {
  const counts = await Promise.all(
    TABLES.map((table) => countOtherwiseSealed(db, { table, keyId })),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

async function* pages(db: Db, { keyId }: Vault, table: SealedTableName) {
  for (let after = ''; ; ) {
    const rows = await pageOfOtherwiseSealed(db, { table, keyId }, { after, limit: BATCH });
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    after = last.id;
  }
}

interface MoveScope {
  readonly db: Db;
  readonly vault: Vault;
  readonly table: SealedTableName;
}

/** 'settled' stands for a row that a service has deleted, has sealed with the present key, or keeps changing. */
async function move(
  { db, vault, table }: MoveScope,
  found: SealedRow,
): Promise<'moved' | 'unopened' | 'settled'> {
  const { keyId } = vault;
  let row: SealedRow | undefined = found;
  for (let attempt = 0; row !== undefined && attempt < ATTEMPTS; attempt++) {
    const values = sealedAgain({ vault, table }, row);
    if (values === null) return 'unopened';
    if (await replaceSealed(db, { table, keyId }, { row, values })) return 'moved';
    row = await findOtherwiseSealed(db, { table, keyId }, row.id);
  }
  return 'settled';
}

/** Returns null when no key of the vault opens a value of the row. */
function sealedAgain(
  { vault, table }: Omit<MoveScope, 'db'>,
  { id, values }: SealedRow,
): SealedRow['values'] | null {
  const { columns, place } = SEALED_TABLES[table];
  const again: SealAgain = (sealed) => sealAgain(vault, sealed, place(id));
  try {
    return Object.fromEntries(
      Object.entries<(value: never, again: SealAgain) => unknown>(columns).map(([name, change]) => [
        name,
        change(values[name] as never, again),
      ]),
    );
  } catch {
    // The caller names the row. The error itself says only that the value could not be decrypted.
    return null;
  }
}
