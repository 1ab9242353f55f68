/** Reads attachments, of which Jira and Confluence may refuse one that their listings show. */
import { SourceError } from '../../errors.ts';
import { type LeftOut, type Stub, skip, type Upsert } from '../items.ts';

/**
 * Reads the attachment behind a stub. One that the product refuses to send is left out: the stored record may have an
 * older text and older access, so searches must no longer find it.
 */
export async function fileOrSkip(
  product: string,
  { id, type }: Stub,
  read: () => Promise<Upsert>,
): Promise<Upsert | LeftOut> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof SourceError) || error.kind !== 'skip') throw error;
    return skip(id, type, {
      reason: `not given out by ${product}`,
      detail: error.message,
      removes: 'record',
    });
  }
}
