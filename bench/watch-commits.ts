/**
 * This file is loaded into every thread of the service before the thread's own code (`--import`). When a thread ends, it
 * writes the transactions on PostgreSQL that have written chunks into the folder BENCH_COMMITS, one JSON line for each.
 *
 * A statement is waited for from its call until its result has been read. Statements that wait at the same time are one
 * round trip. The bytes are those of the texts and parameters that were sent.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import pg from 'pg';

export interface WatchedStatement {
  /** The kind consists of the first words, such as `insert into chunks`. */
  readonly kind: string;
  readonly ms: number;
  readonly bytes: number;
}

export interface WatchedCommit {
  /** The transaction ended at this time, in milliseconds since 1970. */
  readonly at: number;
  readonly chunks: number;
  /** The time from the call of `begin` until `commit` has been answered. */
  readonly ms: number;
  readonly roundTrips: number;
  readonly statements: readonly WatchedStatement[];
}

interface OpenTransaction {
  readonly began: number;
  readonly statements: WatchedStatement[];
  chunks: number;
  roundTrips: number;
  waiting: number;
}

const HEAD =
  /^\s*(begin|commit|rollback|select|(?:insert into|update|delete from)\s+"?\w+|with\s+\w+)/i;
const commits: WatchedCommit[] = [];
const open = new WeakMap<object, OpenTransaction>();
const original = pg.Client.prototype.query as (...given: unknown[]) => unknown;

Object.assign(pg.Client.prototype, {
  query(this: object, ...given: unknown[]) {
    const asked = askedOf(given);
    if (asked === undefined) return original.apply(this, given);
    const { text, values } = asked;
    const kind = (HEAD.exec(text)?.[1] ?? text.slice(0, 20)).replaceAll('"', '').toLowerCase();
    if (kind === 'begin')
      open.set(this, {
        began: performance.now(),
        statements: [],
        chunks: 0,
        roundTrips: 0,
        waiting: 0,
      });
    const transaction = open.get(this);
    const answer = original.apply(this, given);
    if (transaction && answer instanceof Promise)
      return watched(this, transaction, { kind, bytes: bytesOf(text, values), answer });
    return answer;
  },
});

/** Returns the text and the parameters of a query, or undefined for other ways to call. */
function askedOf([first, second]: readonly unknown[]) {
  const { text, values } = (typeof first === 'string' ? { text: first } : first) as {
    text?: unknown;
    values?: unknown;
  };
  if (typeof text !== 'string') return undefined;
  return { text, values: (values ?? second ?? []) as readonly unknown[] };
}

async function watched(
  client: object,
  transaction: OpenTransaction,
  {
    kind,
    bytes,
    answer,
  }: { readonly kind: string; readonly bytes: number; readonly answer: Promise<unknown> },
) {
  const before = performance.now();
  if (transaction.waiting++ === 0) transaction.roundTrips++;
  try {
    const result = (await answer) as { readonly rowCount: number | null };
    if (kind === 'insert into chunks') transaction.chunks += result.rowCount ?? 0;
    return result;
  } finally {
    transaction.waiting--;
    transaction.statements.push({ kind, ms: performance.now() - before, bytes });
    if (kind === 'commit' || kind === 'rollback') close(client, transaction);
  }
}

function close(client: object, { began, chunks, roundTrips, statements }: OpenTransaction): void {
  open.delete(client);
  if (chunks > 0)
    commits.push({
      at: Date.now(),
      chunks,
      ms: performance.now() - began,
      roundTrips,
      statements,
    });
}

function bytesOf(text: string, values: readonly unknown[]): number {
  const sizes = values.map((value) => {
    if (value instanceof Uint8Array) return value.byteLength;
    return value === null ? 0 : Buffer.byteLength(String(value));
  });
  return sizes.reduce((sum, size) => sum + size, Buffer.byteLength(text));
}

process.on('exit', () => {
  const folder = process.env.BENCH_COMMITS;
  if (!folder || commits.length === 0) return;
  mkdirSync(folder, { recursive: true });
  const lines = commits.map((commit) => JSON.stringify(commit));
  writeFileSync(join(folder, `${threadId}.jsonl`), lines.join('\n'));
});
