/**
 * On PostgreSQL, the statements of a transaction need not wait for each other's answers: the server runs them in the
 * order in which they were sent, and answers in that order. So statements that do not need each other's results take one
 * round trip together. After a statement that failed, the server refuses the others of the transaction.
 *
 * `pipelined` gives a transaction whose statements are sent at once, and `together` waits for several of them. With any
 * other database the same code runs one statement after the other, because Kysely lets each wait for the one before it.
 */
import {
  CompiledQuery,
  type DatabaseConnection,
  DummyDriver,
  PostgresDialect,
  PostgresDriver,
  Transaction,
  type TransactionSettings,
} from 'kysely';
import type pg from 'pg';
import { inTime } from './deadline.ts';
import { beginningWithLimits } from './limits.ts';
import type { Schema, Tx } from './schema.ts';

type PooledConnection = Parameters<PostgresDriver['rollbackTransaction']>[0];

/** Each of these connections has a transaction, and sends a statement before the one before it is answered. */
const begun = new WeakMap<DatabaseConnection, Promise<void>>();

/** The statements of these connections fail after so many milliseconds, until the transaction ends. */
const limits = new WeakMap<DatabaseConnection, number>();

/** A commit of a sync takes seconds even on a busy server. One that fails is tried again from its bookmark. */
const COMMIT_MS = 120_000;
const ROLLBACK_MS = 30_000;

/** The clients of the pool must have been made with `pipeline: true`. */
export class PipelinedDialect extends PostgresDialect {
  readonly #pool: pg.Pool;
  readonly #lockWaitMs: number;

  constructor(pool: pg.Pool, lockWaitMs: number) {
    super({ pool });
    this.#pool = pool;
    this.#lockWaitMs = lockWaitMs;
  }

  override createDriver(): PostgresDriver {
    return new PipelinedDriver(this.#pool, this.#lockWaitMs);
  }
}

/**
 * The first statement of a transaction is sent together with `begin`, which fails only when the connection is broken: then
 * the statement fails, too. A failure of `begin` is thrown at the latest instead of a commit.
 */
class PipelinedDriver extends PostgresDriver {
  readonly #lockWaitMs: number;

  constructor(pool: pg.Pool, lockWaitMs: number) {
    super({ pool });
    this.#lockWaitMs = lockWaitMs;
  }

  override async beginTransaction(
    connection: DatabaseConnection,
    settings: TransactionSettings,
  ): Promise<void> {
    const limiting = beginningWithLimits(connection, this.#lockWaitMs);
    const begins = super.beginTransaction(limiting, settings);
    // The caller of the commit gets the error; without this line it would end the process before.
    begins.catch(() => undefined);
    begun.set(connection, begins);
    limits.delete(connection);
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await begun.get(connection);
    await super.commitTransaction(limited(connection));
  }

  override async rollbackTransaction(connection: PooledConnection): Promise<void> {
    const rollback = CompiledQuery.raw('rollback');
    // One that is not answered closes the connection, so the second one fails at once, and has the pool drop the connection.
    await inTime(connection, limits.get(connection) ?? ROLLBACK_MS)
      .executeQuery(rollback)
      .catch(() => super.rollbackTransaction(connection));
  }
}

function limited(connection: DatabaseConnection): DatabaseConnection {
  const ms = limits.get(connection);
  return ms === undefined ? connection : inTime(connection, ms);
}

/** The executor that is given beside these has connections, so nobody asks this dialect and this driver for one. */
export const withoutConnections = () => {
  const dialect = new PostgresDialect({ pool: () => Promise.reject(new Error('not connected')) });
  return { dialect, config: { dialect }, driver: new DummyDriver() };
};

/**
 * Runs `work` with a transaction whose statements do not wait for each other, where the database can do this. There, they
 * and the commit fail when they are not answered within `ms` milliseconds.
 */
export async function pipelined<T>(
  tx: Tx,
  work: (tx: Tx) => Promise<T>,
  ms = COMMIT_MS,
): Promise<T> {
  const executor = tx.getExecutor();
  const connection = await executor.provideConnection(async (own) => own);
  if (!begun.has(connection)) return work(tx);
  limits.set(connection, ms);
  const free = executor.withConnectionProvider({
    provideConnection: (consumer) => consumer(limited(connection)),
  });
  return work(new Transaction<Schema>({ ...withoutConnections(), executor: free }));
}

/**
 * Waits until all statements have ended, and then throws the error that came first. With `Promise.all`, the caller would
 * roll back while statements of other branches still come, which would then run outside of the transaction.
 */
export async function together<const Results extends readonly Promise<unknown>[]>(
  statements: Results,
): Promise<{ -readonly [Place in keyof Results]: Awaited<Results[Place]> }> {
  const errors: unknown[] = [];
  const results = await Promise.all(
    statements.map((statement) =>
      statement.catch((error: unknown) => {
        errors.push(error);
      }),
    ),
  );
  if (errors.length > 0) throw errors[0];
  return results as { -readonly [Place in keyof Results]: Awaited<Results[Place]> };
}
