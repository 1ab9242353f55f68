/** Turns errors of the file system about one file or folder into SourceErrors. */
import { SourceError } from '../errors.ts';

const DENIED = ['permission denied', 'Allow the user that Quarry runs as to read it.'] as const;
const REASONS = new Map<string, readonly [why: string, hint: string]>([
  ['ENOENT', ['it no longer exists', 'If it was deleted, the next sync notices.']],
  ['EACCES', DENIED],
  ['EPERM', DENIED],
  ['ENAMETOOLONG', ['its path is too long', 'Move it to a folder nearer to the root.']],
]);
/** These codes mean that the process or the machine lacks resources. The file itself may be fine. */
const SHORTAGES: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOMEM']);

/** These codes mean that the network or the server behind a disk does not answer. */
const ABSENCES: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOTCONN',
  'ESTALE',
  'ETIMEDOUT',
]);

/** Returns a SourceError for an error of the file system, and any other error unchanged. */
export function fileError(error: unknown, what: string): unknown {
  const code = systemCode(error);
  if (code === null) return error;
  if (SHORTAGES.has(code))
    return new SourceError('transient', `files cannot be opened at the moment: ${code}`, {
      cause: error,
    });
  if (ABSENCES.has(code))
    return new SourceError('transient', `the disk of the files does not answer: ${code}`, {
      hint: 'Check that the server of the disk can be reached.',
      cause: error,
    });
  const [why, hint] = REASONS.get(code) ?? [code, 'Check it, and the disk it is on.'];
  return new SourceError('skip', `${what} cannot be read: ${why}`, { hint, cause: error });
}

/**
 * Returns true for an error of `fileError` that may pass although nothing of the file changes, such as EIO: it may be a
 * fault of the disk, and a disk of the network says so too when it is gone.
 */
export function mayPass({ cause }: SourceError): boolean {
  const code = systemCode(cause);
  return code !== null && !REASONS.has(code);
}

/** Returns a code such as ENOENT, or null for an error that does not come from a system call. */
export function systemCode(error: unknown): string | null {
  return error instanceof Error && 'syscall' in error && 'code' in error
    ? String(error.code)
    : null;
}
