/**
 * A push is stored as the caller sent it, and a job of its own processes it.
 *
 * The body is a row that is written in the transaction of its job, so an accepted push survives any crash. It is
 * applied in one transaction. When it has two items with one id, the later item wins.
 */
import { lstat, writeFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { inodeOf } from '../../documents/inode.ts';
import type { FileRef } from '../../model/entity.ts';
import type { Push, PushedFile, StoredPush } from '../../model/pushed.ts';
import type { Downloads } from '../../sources/downloads.ts';
import { remove, type SourceItem, upsert } from '../../sources/items.ts';
import { fromPushed } from '../../transformers/push-form.ts';

/** The file of a push is written to disk, where the limited process of its parser gets it from. */
export async function* pushedItems(
  { body, file }: StoredPush,
  downloads: Downloads,
): AsyncGenerator<SourceItem, void, void> {
  const push: Push = JSON.parse(gunzipSync(body).toString('utf8'));
  const stored = file && { file: await onDisk(file, downloads) };
  for (const entity of push.entities) yield upsert({ ...fromPushed(entity), ...stored });
  for (const entityId of push.delete) yield remove(entityId);
}

async function onDisk({ name, content }: PushedFile, downloads: Downloads): Promise<FileRef> {
  const path = await downloads.newPath();
  await writeFile(path, content, { flag: 'wx', mode: 0o600 });
  const inode = inodeOf(await lstat(path, { bigint: true }));
  return { path, name, size: content.length, inode, isTemporary: true };
}
