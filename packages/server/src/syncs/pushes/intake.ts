/** Takes pushes as they came, and answers each of them when it is stored. */
import { setImmediate as giveWay } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { DatabaseKind } from '../../db/connect.ts';
import type { Schema } from '../../db/schema.ts';
import type { SentPush } from '../../model/pushed.ts';
import type { SourceConnectionJob } from '../schema.ts';
import { type ArrivedPush, createPushCommits, type PackedPush } from './commits.ts';
import { packPush } from './pack.ts';
import { type ReadPush, readPush } from './read.ts';

export interface PushOrder extends ArrivedPush {
  readonly sent: SentPush;
}

/** Resolves when the push is stored. It also takes the place of a push that its key has started before. */
export type StorePush = (order: PushOrder) => Promise<SourceConnectionJob>;

/** Reading a larger body keeps the thread busy for so long that smaller ones go first. */
const LARGE_BYTES = 256 * 1024;

export function createPushIntake(db: Kysely<Schema>, kind: DatabaseKind): StorePush {
  const commits = createPushCommits(db, kind);
  let lastLarge: Promise<unknown> = Promise.resolve();

  /** Between two large bodies, the thread works on what has come meanwhile. */
  function inTurn(sent: SentPush): Promise<ReadPush> {
    const read = lastLarge.then(() => giveWay()).then(() => readPush(sent));
    lastLarge = Promise.allSettled([read]);
    return read;
  }

  async function pack(sent: SentPush): Promise<PackedPush> {
    const isLarge =
      (sent.json?.byteLength ?? 0) + (sent.file?.content.byteLength ?? 0) > LARGE_BYTES;
    const { json, file, digest } = isLarge ? await inTurn(sent) : readPush(sent);
    return { body: await packPush(json), file, digest };
  }

  return ({ sent, ...push }) => commits.store(push, pack(sent));
}
