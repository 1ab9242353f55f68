/** A file that is not exactly what was written is refused, and the target stays as it was. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { BackupHeader } from '../../backup/format.ts';
import { checkBackup } from '../../backup/read-file.ts';
import { SEAL_BYTES, sealOf } from '../../backup/seal.ts';
import { tableShapes } from '../../db/catalog.ts';
import { COPIED_TABLES } from '../../db/copied-tables.ts';
import { must } from '../../util.ts';
import { DATABASES } from '../databases.ts';
import { awkwardContents } from './awkward.ts';
import {
  backUpInto,
  EMPTY_DATABASES,
  type EmptyDatabase,
  MIGRATIONS,
  openEmptySqlite,
  restoreFrom,
} from './copies.ts';

const REFUSED =
  /is damaged or incomplete, and cannot be restored: |is not a backup of Quarry, or its (end|beginning) is/;

describe('a damaged backup', () => {
  let folder: string;
  let good: Buffer;
  let source: EmptyDatabase;
  const targets: EmptyDatabase[] = [];
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quarry-damage-'));
    const migrated = await must(DATABASES[0]).open();
    const shapes = await tableShapes(migrated.db, migrated.kind, COPIED_TABLES);
    await migrated.close();
    source = await openEmptySqlite();
    await source.fill({
      migrations: MIGRATIONS,
      parts: awkwardContents(shapes, () => ({ rows: 3 })),
    });
    await backUpInto(join(folder, 'good'), { db: source.db(), kind: 'sqlite' });
    good = readFileSync(join(folder, 'good'));
    for (const { open } of EMPTY_DATABASES) targets.push(await open());
  });
  after(async () => {
    for (const database of [source, ...targets]) await database.close();
    rmSync(folder, { recursive: true });
  });

  function fileOf(bytes: Buffer): string {
    const path = join(folder, 'changed');
    writeFileSync(path, bytes);
    return path;
  }

  it('is refused wherever it was cut', async () => {
    const lengths = [0, 1, 39, 40, 41, 1000, good.length >> 1, good.length - 41, good.length - 1];
    for (const length of lengths)
      await assert.rejects(checkBackup(fileOf(good.subarray(0, length))), REFUSED, `${length}`);
  });

  it('is refused whichever bit was changed', async () => {
    const step = Math.ceil(good.length / 150);
    for (let at = 0; at < good.length; at += step) {
      const changed = Buffer.from(good);
      changed[at] = must(changed[at]) ^ (1 << (at % 8));
      await assert.rejects(checkBackup(fileOf(changed)), REFUSED, `byte ${at}`);
    }
  });

  it('is refused when something follows its end, or it is something else', async () => {
    const texts = ['hello', 'x'.repeat(100_000), zstdCompressSync('{"format":"other"}\n')];
    for (const text of [Buffer.concat([good, Buffer.from('x')]), ...texts])
      await assert.rejects(checkBackup(fileOf(Buffer.from(text))), REFUSED);
    await assert.rejects(checkBackup(join(folder, 'absent')), /the backup cannot be read: ENOENT/);
    await assert.rejects(checkBackup(folder), /is not a backup of Quarry/);
  });

  it('is refused when its text was changed and packed again, down to a single row', async () => {
    const text = zstdText(good);
    const lines = text.split('\n');
    const row = lines.findIndex((line) => line.startsWith('["0 '));
    assert.ok(row > 0);
    const other = lines.with(row, must(lines[row]).replace('["0 ', '["5 ')).join('\n');
    await assert.rejects(
      checkBackup(fileOf(sealed(other))),
      /the rows of \w+ are not those that were written/,
    );
    const without = lines.toSpliced(row, 1).join('\n');
    await assert.rejects(
      checkBackup(fileOf(sealed(without))),
      /the rows of \w+ are not those that were written/,
    );
    const cut = lines.slice(0, row).join('\n');
    await assert.rejects(checkBackup(fileOf(sealed(`${cut}\n`))), /its end is missing/);
    const table = lines.findIndex((line) => line.startsWith('{"table"'));
    const fewer = lines.toSpliced(table, 3 + 2).join('\n');
    await assert.rejects(
      checkBackup(fileOf(sealed(fewer))),
      /its tables are not those that were written/,
    );
    await assert.rejects(
      checkBackup(fileOf(sealed(`${text}[1]\n`))),
      /a line follows its last line/,
    );
    assert.equal((await checkBackup(fileOf(sealed(text)))).end.rows, 3 * COPIED_TABLES.length);
  });

  it('of a newer version is refused', async () => {
    const newer: Record<string, Partial<BackupHeader>> = {
      'restore it with that version': { migrations: [...MIGRATIONS, '9999-later'] },
      'has run the migration 0029-other': { migrations: [...MIGRATIONS.slice(0, 5), '0029-other'] },
    };
    for (const [sentence, header] of Object.entries(newer))
      for (const target of targets) {
        const path = join(folder, `newer ${sentence} ${target.kind}`);
        await backUpInto(path, { db: source.db(), kind: 'sqlite' }, header);
        await assert.rejects(restoreFrom(path, target), new RegExp(sentence));
        assert.deepEqual(await target.remains(), [], target.kind);
      }
    const text = zstdText(good).replace('"formatVersion":1', '"formatVersion":2');
    await assert.rejects(checkBackup(fileOf(sealed(text))), /made by a newer version of Quarry/);
  });

  it('leaves no trace in the target, which can be filled then', async () => {
    for (const target of targets) {
      for (const length of [1000, Math.floor(good.length * 0.9)]) {
        const bytes = good.subarray(0, length);
        // The end is right, so that the damage is met late.
        const path = fileOf(Buffer.concat([bytes, sealOf(createHash('sha256').update(bytes))]));
        await assert.rejects(restoreFrom(path, target), REFUSED);
        assert.deepEqual(await target.remains(), [], target.kind);
      }
      await restoreFrom(join(folder, 'good'), target);
      await assert.rejects(
        restoreFrom(join(folder, 'good'), target),
        /is not empty: name an empty/,
      );
    }
  });
});

function zstdText(bytes: Buffer): string {
  return zstdDecompressSync(bytes.subarray(0, -SEAL_BYTES)).toString('utf8');
}

/** Packs a text as a backup, with an end that fits. */
function sealed(text: string): Buffer {
  const packed = zstdCompressSync(text);
  return Buffer.concat([packed, sealOf(createHash('sha256').update(packed))]);
}
