/** Connects folders of this machine in tests. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestQuarry } from './quarry.ts';

/** Makes a folder of its own in the folder for temporary files. */
export function makeFolder() {
  const path = mkdtempSync(join(tmpdir(), 'quarry-folder-'));
  return {
    path,
    put: (name: string, content: string | Uint8Array) => writeFileSync(join(path, name), content),
    remove: () => rmSync(path, { recursive: true }),
  };
}

/** Connects the folder to the collection, and returns the id of the connection and its first job, which has ended. */
export async function connectFolder(quarry: TestQuarry, path: string, collection: string) {
  const { id } = await quarry.ok('POST', '/v1/source-connections', {
    name: 'Folder',
    short_name: 'files',
    readable_collection_id: collection,
    config: { path },
  });
  return { id: String(id), job: await quarry.settled(id) };
}
