/**
 * This file recognizes errors that mean that the database cannot be used now. Any other error of the database is a bug
 * in our code. https://sqlite.org/rescode.html, https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
import { SourceError } from '../errors.ts';

const BUSY = 'the database is busy';
const READ_ONLY = 'the database is read-only';
const BROKEN = 'the database cannot be read or written';
const FULL = 'the disk of the database is full';
const AWAY = 'the database cannot be reached';

const REMEDIES: Readonly<Record<string, string>> = {
  [BUSY]: 'try again in a moment',
  [READ_ONLY]: 'make its files writable, or connect to the primary server',
  [BROKEN]: 'look at the disk and at the log of the machine',
  [FULL]: 'free room on it, and the service goes on by itself',
  [AWAY]: 'start it, or correct DATABASE_URL; the service goes on by itself',
};

/** Says with a reason why the database cannot be used also what an operator does about it. */
export const withRemedy = (reason: string): string =>
  REMEDIES[reason] === undefined ? reason : `${reason}: ${REMEDIES[reason]}`;

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

/** These codes mean a full disk, a broken disk, a standby server, a conflict of two transactions, or a limit on the time of a statement. */
const POSTGRES: Readonly<Record<string, string>> = {
  '53100': FULL,
  '58030': BROKEN,
  '25006': READ_ONLY,
  '40001': BUSY,
  '40P01': BUSY,
  '55P03': BUSY,
  '57014': BUSY,
};

/** These classes of codes stand for connection exceptions, exhausted resources, and the intervention of an operator. */
const POSTGRES_AWAY = /^(08|53|57P0)/;

/** When a connection breaks, cannot be opened or is silent, `pg` throws such a message without a code. */
const PG_MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Query read timeout)/;

/** Returns in a few words why the database cannot be used, or null when the error has another cause. */
export function unavailableReason(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { errcode, code, severity } = error as Error & Record<string, unknown>;
  if (code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number')
    return SQLITE[errcode & 0xff] ?? null;
  // An error of this severity always means that the server has refused or ended the connection.
  if (severity === 'FATAL') return AWAY;
  if (typeof code === 'string')
    return POSTGRES[code] ?? (SYSTEM.has(code) || POSTGRES_AWAY.test(code) ? AWAY : null);
  return PG_MESSAGES.test(error.message) ? AWAY : null;
}

/**
 * Returns in a few words why the database answers but takes no writes: its disk is full or broken, or it is read-only,
 * such as a standby server. Returns null for any other error.
 */
export function refusalReason(error: unknown): string | null {
  const reason = unavailableReason(error);
  return reason === FULL || reason === BROKEN || reason === READ_ONLY ? reason : null;
}

/**
 * Returns a SourceError 'transient' when the database cannot be used, and otherwise the same error. The code that asks a
 * source needs our database, too, and any error but a SourceError would there look like a fault of the source.
 */
export function asSourceError(what: string, error: unknown): unknown {
  const reason = unavailableReason(error);
  return reason === null
    ? error
    : new SourceError('transient', `${what}: ${reason}`, { cause: error });
}

/** Returns an error with a message for users when the database cannot be used, and otherwise the same error. */
export function explained(error: unknown): unknown {
  const faults = [error, (error as Error).cause];
  const fault = faults.find((one) => unavailableReason(one) !== null) as
    | (Error & { code?: string })
    | undefined;
  if (!fault) return error;
  const reason = `${unavailableReason(fault)} (${fault.message || fault.code})`;
  return new Error(`${reason}: try again when the database can be used`, { cause: error });
}
