/**
 * A push is stored as the caller sent it, and a job of its own processes it.
 *
 * The body is a row that is written in the transaction of its job, so an accepted push survives any crash. It is
 * applied in one transaction. When it has two items with one id, the later item wins.
 */
import { promisify } from 'node:util';
import { gunzipSync, gzip } from 'node:zlib';
import type { Push } from '../../model/pushed.ts';
import { remove, type SourceItem, upsert } from '../../sources/items.ts';
import { fromPushed } from '../../transformers/push-form.ts';

/** Packs the body that is stored for a push until its job has ended. */
export const packPush = (push: Push): Promise<Uint8Array> =>
  promisify(gzip)(JSON.stringify(push), { level: 1 });

export function* pushedItems(body: Uint8Array): Generator<SourceItem, void, void> {
  const push: Push = JSON.parse(gunzipSync(body).toString('utf8'));
  for (const entity of push.entities) yield upsert(fromPushed(entity));
  for (const entityId of push.delete) yield remove(entityId);
}
