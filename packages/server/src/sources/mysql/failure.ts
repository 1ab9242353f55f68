/**
 * Turns an error of the driver into a SourceError, whose kind depends on the number of the error, or else on its
 * SQLSTATE. MySQL lists its errors at https://dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html, and
 * MariaDB at https://mariadb.com/docs/server/reference/error-codes/mariadb-error-code-reference
 */
import { SourceError, type SourceErrorKind } from '../../errors.ts';
import { unreachable } from '../sql/failure.ts';

const NUMBERS: Readonly<Record<SourceErrorKind, readonly number[]>> = {
  auth: [
    1045, // The password is wrong, or the user is unknown.
    1130, // This host may not connect.
    1698, // The user signs in without a password.
    1820, // The password must be changed.
    1862, // The password has expired.
    3118, // The account is locked.
    4151, // The account is locked (MariaDB).
  ],
  config: [
    1129, // This host is blocked after many errors, until an administrator unblocks it.
    1193, // The server is too old for a setting of the session.
    1210, // A function has wrong arguments.
    1235, // This version does not support it.
    1251, // The server asks for a way to sign in that is no longer used.
    1267, // Collations do not fit together.
    1270, // Collations do not fit together.
    1271, // Collations do not fit together.
    1356, // A view refers to something that does not exist.
    1370, // The user may not run the function.
    1436, // The query recurses too deep.
    1449, // The user who defined a view does not exist.
    1524, // The server lacks the plugin with which the user signs in.
    1690, // A number is out of range.
    3141, // A text is not JSON.
    3572, // A row is locked, and the query does not wait.
    4038, // A text is not JSON (MariaDB).
  ],
  transient: [
    1021, // The disk is full.
    1037, // Memory is used up.
    1038, // Memory for sorting is used up.
    1040, // There are too many connections.
    1041, // Memory is used up.
    1053, // The server shuts down.
    1077, // The server shuts down.
    1079, // The server shuts down.
    1152, // The connection was aborted.
    1158, // The network has an error.
    1159, // The network has an error.
    1160, // The network has an error.
    1161, // The network has an error.
    1184, // The connection was aborted.
    1203, // The user has too many connections.
    1205, // A lock was not released in time.
    1213, // The transaction was the victim of a deadlock.
    1226, // The user has used up a limit, such as queries per hour.
    1290, // The server runs with an option that forbids this for the moment.
    1317, // The statement was killed.
    1412, // The table was changed after the transaction began.
    1836, // The server recovers.
    1927, // The connection was killed.
    1969, // The statement took too long (MariaDB).
    3024, // The statement took too long.
    3032, // The server is in offline mode.
    3168, // The server is not available.
    4031, // The connection was idle for too long.
  ],
  fatal: [],
  skip: [],
  rate_limited: [],
  outdated: [],
};

const KINDS: ReadonlyMap<number, SourceErrorKind> = new Map(
  Object.entries(NUMBERS).flatMap(([kind, numbers]) =>
    numbers.map((number) => [number, kind as SourceErrorKind]),
  ),
);

/** The key is a class of SQLSTATE, its first two characters. Every other class is 'fatal'. */
const CLASSES: Readonly<Record<string, SourceErrorKind>> = {
  '28': 'auth',
  '08': 'transient',
  '40': 'transient',
  '70': 'transient', // The statement was killed.
  '21': 'config',
  '22': 'config',
  '23': 'config',
  '25': 'config', // A query writes.
  '42': 'config', // A table or column is unknown, a privilege is missing, or the syntax is wrong.
  '45': 'config', // A function of the query raised an error.
  '0A': 'config',
};

interface ServerError extends Error {
  /** Only errors of the server have a number. */
  readonly errno?: number;
  readonly code?: string;
  readonly sqlState?: string;
  readonly syscall?: string;
}

export function toSourceError(error: unknown, address: string): SourceError {
  if (error instanceof SourceError) return error;
  const { errno, sqlState, code, syscall, message } = error as ServerError;
  if (errno !== undefined && syscall === undefined && errno > 0) {
    const kind = KINDS.get(errno) ?? CLASSES[sqlState?.slice(0, 2) ?? ''] ?? 'fatal';
    return new SourceError(kind, `MySQL answered: ${message}`, { cause: error });
  }
  if (code !== undefined && UNUSABLE.has(code))
    return new SourceError('config', `${address} cannot be used: ${message}`, { cause: error });
  return unreachable(`MySQL at ${address}`, error);
}

/** These are codes of the driver, for servers that this source does not sign in to. */
const UNUSABLE: ReadonlySet<string> = new Set([
  'AUTH_SWITCH_PLUGIN_ERROR',
  'MYSQL_CLEAR_PASSWORD_NOT_ENABLED',
]);
