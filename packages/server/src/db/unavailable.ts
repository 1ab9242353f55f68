/**
 * Which errors mean that the database cannot serve right now, as opposed to a mistake of ours.
 * https://sqlite.org/rescode.html, https://www.postgresql.org/docs/current/errcodes-appendix.html
 */

/** Primary result codes; the extended ones have them in their lowest byte. */
const SQLITE: Readonly<Record<number, string>> = {
  5: 'the database is busy',
  8: 'the database is read-only',
  10: 'the database cannot be read or written',
  13: 'the disk of the database is full',
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

/**
 * Connection exceptions, no resources left, an operator's intervention, a standby server; and a transaction
 * that another one has made fail, by a deadlock or a conflict.
 */
const POSTGRES = /^(08|53|57P0)|^(25006|40001|40P01)$/;

/** What `pg` says, without a code, of connections that break or never come. */
const PG_MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/** A few words for the caller, or null when the error is of another kind. */
export function unavailableReason(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { errcode, code, severity } = error as Error & Record<string, unknown>;
  if (code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number')
    return SQLITE[errcode & 0xff] ?? null;
  // The server refuses the connection or ends it, for whatever reason.
  if (severity === 'FATAL') return 'the database cannot be reached';
  if (typeof code === 'string')
    return SYSTEM.has(code) || POSTGRES.test(code) ? 'the database cannot be reached' : null;
  return PG_MESSAGES.test(error.message) ? 'the database cannot be reached' : null;
}

/** The same error, or one whose message says that it is the database, and not what was about to be done. */
export function explained(error: unknown): unknown {
  const faults = [error, (error as Error).cause];
  const fault = faults.find((one) => unavailableReason(one) !== null) as
    | (Error & { code?: string })
    | undefined;
  if (!fault) return error;
  const reason = `${unavailableReason(fault)} (${fault.message || fault.code})`;
  return new Error(`${reason}: put that right and try again`, { cause: error });
}
