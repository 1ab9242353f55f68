/** Turns a push into an attempt with the entities that the caller sent, in their order. */
import { gunzipSync } from 'node:zlib';
import type { Entity } from '../../../model/entity.ts';
import { remove, upsert } from '../../../sources/items.ts';
import { hold } from '../../random/violation.ts';
import { type Attempt, newAttempt, say } from './attempt.ts';
import type { Observer } from './observe.ts';

/** `sent` has everything that callers have sent, by its `rev`. */
export function pushedBy(
  observer: Observer,
  sent: ReadonlyMap<number, Entity>,
  jobId: string,
): Attempt {
  const [push] = observer.all<{ body: Uint8Array }>(
    'select body from pushes where job_id = ?',
    jobId,
  );
  hold(push, 'an accepted push is not lost', () => jobId);
  const attempt = newAttempt('all');
  const body = JSON.parse(gunzipSync(push.body).toString());
  for (const { metadata } of body.entities) {
    const entity = sent.get(metadata.rev);
    hold(entity, 'a push is what was sent', () => `${metadata.rev}`);
    say(attempt, upsert(entity));
  }
  for (const id of body.delete) say(attempt, remove(id));
  attempt.ended = true;
  return attempt;
}
