/**
 * What an error of the driver means for a sync, by its SQLSTATE.
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
import pg from 'pg';
import { SourceError, type SourceErrorKind } from '../../errors.ts';

/** By code, else by class (its first two characters). What is in neither is fatal. */
const KINDS: Readonly<Record<string, SourceErrorKind>> = {
  '28': 'auth', // wrong password, unknown role, no entry in pg_hba.conf
  '22': 'config', // a query divides by zero or casts what it cannot
  '3D': 'config', // unknown database
  '3F': 'config', // unknown schema
  '42': 'config', // unknown table or column, no permission, wrong syntax
  '0A': 'config', // what this server does not support
  '21': 'config', // a subquery gives more than one row
  P0: 'config', // a function of the query gave up
  '08': 'transient', // the connection broke
  '08P01': 'config', // a query with parameters, for which there are no values
  '25': 'config', // a query that writes
  '25P03': 'transient', // the server ended the transaction, idle for too long
  '25P04': 'transient', // the server ended the transaction, open for too long
  '40': 'transient', // a standby needed our snapshot gone
  '53': 'transient', // no connection, memory or disk left
  '55': 'transient', // something is locked
  '57': 'transient', // cancelled, shutting down, starting up
  '58': 'transient', // the server's own disk
};

export function toSourceError(error: unknown, address: string): SourceError {
  if (error instanceof SourceError) return error;
  if (error instanceof pg.DatabaseError && error.code) {
    const kind = KINDS[error.code] ?? KINDS[error.code.slice(0, 2)] ?? 'fatal';
    return new SourceError(kind, `PostgreSQL answered: ${error.message}`, { cause: error });
  }
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  // What the system says names the address that the host leads to, and of several addresses it says nothing.
  const reason = code && (syscall || message === '') ? code : message;
  return new SourceError('transient', `PostgreSQL at ${address} cannot be reached: ${reason}`, {
    cause: error,
  });
}

/** True for what concerns one table or query: the others can still be read. */
export const isOfOnePart = (error: SourceError): boolean =>
  error.kind === 'config' || error.kind === 'fatal';
