/** Describes failures that are the same for all databases. */
import { SourceError } from '../../errors.ts';

/** Returns true when the error may concern only one table or query, so that the others can still be read. */
export const concernsOnePart = (error: SourceError): boolean =>
  error.kind === 'config' || error.kind === 'fatal';

/** Returns the error for a server that cannot be reached, or whose connection broke. */
export function unreachable(server: string, error: unknown): SourceError {
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  // A message of the operating system contains the address to which the host resolves, and is empty when the host has
  // several addresses. So only its code is used.
  const reason = code && (syscall || message === '') ? code : message;
  return new SourceError('transient', `${server} cannot be reached: ${reason}`, { cause: error });
}
