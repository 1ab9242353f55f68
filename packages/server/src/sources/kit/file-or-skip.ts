/** Reads files that a service may list and then refuse to send. */
import type { Omission } from '../../documents/omission.ts';
import { SourceError } from '../../errors.ts';
import { type LeftOut, type Stub, skip } from '../items.ts';

interface FileService {
  /** The name of the service for people, such as Jira. */
  readonly service: string;
  /** Returns why the service refuses the file when the error says more than that it does. */
  readonly why?: (error: SourceError) => Omission | undefined;
}

/**
 * Reads the file behind a stub. One that the service refuses to send is left out: the stored record may have an older
 * text and older access, so searches must no longer find it. An error that may pass, such as a limit, or that concerns
 * the whole connection, is thrown.
 */
export async function fileOrSkip<Read>(
  { id, type }: Stub,
  { service, why }: FileService,
  read: () => Promise<Read>,
): Promise<Read | LeftOut> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof SourceError) || !REFUSALS.includes(error.kind)) throw error;
    const { message: detail, hint } = error;
    const refused = { reason: `not given out by ${service}`, ...(hint !== undefined && { hint }) };
    return skip(id, type, { ...(why?.(error) ?? refused), detail, removes: 'record' });
  }
}

/** Google and Microsoft answer 410, by which they also call a cursor outdated, for a file that is gone. */
const REFUSALS: readonly SourceError['kind'][] = ['skip', 'outdated'];
