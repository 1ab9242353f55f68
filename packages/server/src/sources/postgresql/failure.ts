/**
 * Turns an error of the driver into a SourceError, whose kind depends on the SQLSTATE of the error. The codes are
 * listed at https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
import pg from 'pg';
import { SourceError, type SourceErrorKind } from '../../errors.ts';
import { unreachable } from '../sql/failure.ts';

/**
 * The key is a code or a class of codes (its first two characters); a code comes before its class. Every other code is
 * 'fatal'.
 */
const KINDS: Readonly<Record<string, SourceErrorKind>> = {
  '28': 'auth', // The password is wrong, the role is unknown, or pg_hba.conf has no entry.
  '22': 'config', // A query divides by zero, or casts a value that it cannot cast.
  '3D': 'config', // The database is unknown.
  '3F': 'config', // The schema is unknown.
  '42': 'config', // A table or column is unknown, a permission is missing, or the syntax is wrong.
  '0A': 'config', // This server does not support the feature.
  '21': 'config', // A subquery gives more than one row.
  P0: 'config', // A function of the query raised an error.
  '08': 'transient', // The connection broke.
  '08P01': 'config', // A query has parameters, for which there are no values.
  '25': 'config', // A query writes.
  '25P03': 'transient', // The server ended the transaction, because it was idle for too long.
  '25P04': 'transient', // The server ended the transaction, because it was open for too long.
  '40': 'transient', // A standby could not keep our snapshot.
  '53': 'transient', // No connection, memory or disk is left.
  '55': 'transient', // Something is locked.
  '57': 'transient', // The server cancels the statement, shuts down, or starts up.
  '58': 'transient', // The disk of the server itself has an error.
};

export function toSourceError(error: unknown, address: string): SourceError {
  if (error instanceof SourceError) return error;
  if (error instanceof pg.DatabaseError && error.code) {
    const kind = KINDS[error.code] ?? KINDS[error.code.slice(0, 2)] ?? 'fatal';
    return new SourceError(kind, `PostgreSQL answered: ${error.message}`, { cause: error });
  }
  return unreachable(`PostgreSQL at ${address}`, error);
}
