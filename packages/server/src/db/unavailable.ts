/**
 * This file knows which errors mean that the database cannot serve right now, as opposed to a mistake in our code.
 * https://sqlite.org/rescode.html, https://www.postgresql.org/docs/current/errcodes-appendix.html
 */

const BUSY = 'the database is busy';
const READ_ONLY = 'the database is read-only';
const BROKEN = 'the database cannot be read or written';
const FULL = 'the disk of the database is full';
const AWAY = 'the database cannot be reached';

/** These are primary result codes; an extended code has its primary code in the lowest byte. */
const SQLITE: Readonly<Record<number, string>> = {
  5: BUSY,
  8: READ_ONLY,
  10: BROKEN,
  13: FULL,
  14: 'the database cannot be opened',
};

const SYSTEM = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
]);

/** These codes mean a full disk, a broken disk, a standby server, or a transaction that another one has made fail. */
const POSTGRES: Readonly<Record<string, string>> = {
  '53100': FULL,
  '58030': BROKEN,
  '25006': READ_ONLY,
  '40001': BUSY,
  '40P01': BUSY,
};

/** The classes stand for connection exceptions, exhausted resources, and the intervention of an operator. */
const POSTGRES_AWAY = /^(08|53|57P0)/;

/** With these messages, and without a code, `pg` reports connections that break or never open. */
const PG_MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/** Returns a few words for the caller, or null when the error is of another kind. */
export function unavailableReason(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { errcode, code, severity } = error as Error & Record<string, unknown>;
  if (code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number')
    return SQLITE[errcode & 0xff] ?? null;
  // With this severity, the server refuses the connection or ends it, for whatever reason.
  if (severity === 'FATAL') return AWAY;
  if (typeof code === 'string')
    return POSTGRES[code] ?? (SYSTEM.has(code) || POSTGRES_AWAY.test(code) ? AWAY : null);
  return PG_MESSAGES.test(error.message) ? AWAY : null;
}

/** Returns the same words if the database answers but its disk or its role lets it take no writes; otherwise null. */
export function refusalReason(error: unknown): string | null {
  const reason = unavailableReason(error);
  return reason === FULL || reason === BROKEN || reason === READ_ONLY ? reason : null;
}

/**
 * Returns the same error, or an error that says that the database is at fault, and
 * not the work that was about to start.
 */
export function explained(error: unknown): unknown {
  const faults = [error, (error as Error).cause];
  const fault = faults.find((one) => unavailableReason(one) !== null) as
    | (Error & { code?: string })
    | undefined;
  if (!fault) return error;
  const reason = `${unavailableReason(fault)} (${fault.message || fault.code})`;
  return new Error(`${reason}: put that right and try again`, { cause: error });
}
