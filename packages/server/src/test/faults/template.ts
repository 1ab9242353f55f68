/** A migrated database with one organization, as a file in memory, and copies of it. */
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, migrate } from '../../db/connect.ts';
import { ensureFirstOrganization } from '../../organizations/bootstrap.ts';

const SHARED_MEMORY = '/dev/shm';

export interface Template {
  readonly organizationId: string;
  /** Path of a fresh copy; the one before is removed. */
  copy(): string;
  close(): void;
}

export async function makeTemplate(): Promise<Template> {
  const folder = mkdtempSync(join(existsSync(SHARED_MEMORY) ? SHARED_MEMORY : tmpdir(), 'quarry-'));
  const template = join(folder, 'template.db');
  const db = connect(template);
  await migrate(db, 'sqlite');
  await ensureFirstOrganization(db, {});
  const { id } = await db.selectFrom('organizations').select('id').executeTakeFirstOrThrow();
  await db.destroy();
  const path = join(folder, 'quarry.db');
  return {
    organizationId: id,
    copy() {
      for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
      copyFileSync(template, path);
      return path;
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
