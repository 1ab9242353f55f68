/**
 * Stores pushes. Those that wait while others are committed are stored together in the next transaction, because what a
 * transaction costs (the disk, the round trips to a server, the lock of a connection) hardly grows with its pushes. A push
 * is answered after the commit of its transaction, and not before.
 *
 * - SQLite has one writer, so one transaction at a time holds the pushes of all connections. On PostgreSQL a transaction
 *   has the pushes of one connection, so that nobody waits for the lock of another connection, and several transactions
 *   run at once.
 * - Pushes of a connection are stored in the order in which they came.
 * - A push that its caller may not make is refused alone. When a transaction fails before its commit, each of its pushes
 *   is tried in a transaction of its own. When the commit itself fails, nobody knows whether it has happened, so all of its
 *   pushes fail, and their callers may repeat them with their keys.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { type Caller, holdCaller } from '../../audit/act.ts';
import type { DatabaseKind } from '../../db/connect.ts';
import { pipelined, together } from '../../db/pipelined.ts';
import type { Schema, Tx } from '../../db/schema.ts';
import { unavailableReason } from '../../db/unavailable.ts';
import { AppError, notFound } from '../../errors.ts';
import type { StoredPush } from '../../model/pushed.ts';
import type { Cause } from '../../telemetry/trace.ts';
import { must } from '../../util.ts';
import { lockConnections } from '../jobs/connection-store.ts';
import type { SourceConnectionJob } from '../schema.ts';
import { type PushedConnection, startPushes } from './start.ts';

export interface ArrivedPush {
  readonly caller: Caller;
  readonly connection: PushedConnection;
  readonly cause: Cause;
  /** This is null when the caller gave no Idempotency-Key. */
  readonly key: string | null;
}

export interface PackedPush extends StoredPush {
  /** Pushes of one key must have one digest. */
  readonly digest: string;
}

export interface PushCommits {
  /** The push has its place in the order of its connection while it is still being packed. */
  store(push: ArrivedPush, packed: Promise<PackedPush>): Promise<SourceConnectionJob>;
}

interface WaitingPush extends ArrivedPush, PromiseWithResolvers<SourceConnectionJob> {
  packed: PackedPush | undefined;
}

type StorablePush = WaitingPush & { readonly packed: PackedPush };

/** A transaction has at most so many pushes, and at most so many bytes unless it has one push. */
const GROUP = { pushes: 32, bytes: 4 * 1024 * 1024 };
/** This is the number of transactions that run at once on PostgreSQL. */
const AT_ONCE = 5;
/** After a commit, other connections to SQLite may write for at least this long. */
const PAUSE_MS = 3;

export function createPushCommits(db: Kysely<Schema>, kind: DatabaseKind): PushCommits {
  const isAlone = kind === 'sqlite';
  const waiting = new Set<WaitingPush>();
  /** These connections have pushes in a transaction that runs. */
  const busy = new Set<string>();
  let running = 0;

  function begin(): void {
    while (running < (isAlone ? 1 : AT_ONCE)) {
      const group = takeGroup();
      if (group.length === 0) return;
      void run(group);
    }
  }

  /** Takes the oldest push that may be stored now, and those that may be stored together with it. */
  function takeGroup(): StorablePush[] {
    const group: StorablePush[] = [];
    const passed = new Set(busy);
    let bytes = 0;
    for (const push of waiting) {
      const { id } = push.connection;
      if (group.length === GROUP.pushes) break;
      if (passed.has(id) || (group[0] && !isAlone && group[0].connection.id !== id)) continue;
      const isFitting =
        isPacked(push) && (group.length === 0 || bytes + sizeOf(push) <= GROUP.bytes);
      if (!isFitting) passed.add(id);
      else {
        group.push(push);
        bytes += sizeOf(push);
      }
    }
    for (const push of group) waiting.delete(push);
    return group;
  }

  async function run(group: readonly StorablePush[]): Promise<void> {
    running++;
    for (const { connection } of group) busy.add(connection.id);
    await settle(group);
    if (isAlone && waiting.size > 0) await sleep(PAUSE_MS);
    for (const { connection } of group) busy.delete(connection.id);
    running--;
    begin();
  }

  /** Answers each of the pushes. */
  async function settle(group: readonly StorablePush[]): Promise<void> {
    let isStored = false;
    try {
      const answers = await db.transaction().execute(async (tx) => {
        const stored = await pipelined(tx, (own) => storeGroup(own, kind, group));
        isStored = true;
        return stored;
      });
      for (const [i, push] of group.entries()) answer(push, must(answers[i]));
    } catch (error) {
      if (group.length > 1 && !isStored && unavailableReason(error) === null)
        for (const push of group) await settle([push]);
      else for (const push of group) push.reject(error);
    }
  }

  return {
    store(push, packed) {
      const mine: WaitingPush = {
        ...push,
        ...Promise.withResolvers<SourceConnectionJob>(),
        packed: undefined,
      };
      waiting.add(mine);
      packed
        .then(
          (done) => {
            mine.packed = done;
          },
          (error: unknown) => {
            waiting.delete(mine);
            mine.reject(error);
          },
        )
        .then(begin, mine.reject);
      return mine.promise;
    },
  };
}

const isPacked = (push: WaitingPush): push is StorablePush => push.packed !== undefined;

const sizeOf = ({ packed: { body, file } }: StorablePush): number =>
  body.byteLength + (file?.content.byteLength ?? 0);

function answer(push: WaitingPush, given: SourceConnectionJob | AppError): void {
  if (given instanceof AppError) push.reject(given);
  else push.resolve(given);
}

/** Returns the answer to each push, in the order of the group. */
async function storeGroup(
  tx: Tx,
  kind: DatabaseKind,
  group: readonly StorablePush[],
): Promise<(SourceConnectionJob | AppError)[]> {
  const refusals = await refusalsOf(
    tx,
    group.map(({ caller }) => caller),
  );
  const ids = [...new Set(group.map(({ connection }) => connection.id))];
  const living = new Set(await lockConnections(tx, ids));
  const answers = new Map<StorablePush, SourceConnectionJob | AppError>();
  for (const push of group) {
    const { caller, connection } = push;
    const refusal = refusals.get(idOf(caller));
    if (refusal) answers.set(push, refusal);
    else if (!living.has(connection.id))
      answers.set(push, notFound('source connection', connection.id));
  }
  const accepted = group.filter((push) => !answers.has(push));
  if (accepted.length === 0) return group.map((push) => must(answers.get(push)));
  const jobs = await startPushes(
    tx,
    kind,
    accepted.map(({ caller, connection, cause, key, packed }) => ({
      ...{ body: packed.body, file: packed.file, connection, cause },
      email: caller.account.email,
      idempotency: key === null ? null : { key, digest: packed.digest },
    })),
  );
  for (const [i, push] of accepted.entries()) answers.set(push, must(jobs[i]));
  return group.map((push) => must(answers.get(push)));
}

/** Returns the error of each caller who may no longer push. Accounts are locked in the order of their ids. */
async function refusalsOf(tx: Tx, callers: readonly Caller[]): Promise<Map<string, AppError>> {
  const distinct = new Map(callers.map((caller) => [idOf(caller), caller]));
  const inOrder = [...distinct].toSorted(([, one], [, other]) =>
    one.account.id < other.account.id ? -1 : 1,
  );
  const refused = await together(
    inOrder.map(async ([id, caller]) => {
      try {
        await holdCaller(tx, caller);
        return [];
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        return [[id, error] as const];
      }
    }),
  );
  return new Map(refused.flat());
}

const idOf = ({ session, key, account, organization, role }: Caller): string =>
  JSON.stringify([session, key?.id, key?.hash, account.id, organization.id, role]);
