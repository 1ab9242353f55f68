/** Reads the files in a tar archive. */
import { createMembers } from '../archive/members.ts';
import { tarMembers } from '../archive/tar.ts';
import type { Container, Convert, Converted } from '../convert.ts';
import type { Omission } from '../omission.ts';

export const convert: Convert = (bytes, container) => convertTar(whole(bytes), container);

/** Reads an archive that comes piece by piece. Throws a SourceError 'skip' for a broken archive. */
export async function convertTar(
  chunks: AsyncIterable<Uint8Array>,
  container: Container,
): Promise<Converted | Omission> {
  const members = createMembers(container);
  for await (const member of tarMembers(chunks)) await members.take(member);
  return members.list();
}

async function* whole(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
