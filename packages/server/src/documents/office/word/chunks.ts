/** Reads other documents that stand in a DOCX, such as a page of HTML (ECMA-376 part 1, 17.17.2). */
import { posix } from 'node:path';
import type { Container } from '../../convert.ts';
import type { OfficePackage, PartRelation } from '../package.ts';

/** Returns the texts by the ids of their relations. What cannot be read is noted. */
export async function readChunks(
  document: OfficePackage,
  relations: readonly PartRelation[],
  container: Container,
): Promise<Map<string, string>> {
  const chunks = new Map<string, string>();
  for (const { id, type, target } of relations) {
    const bytes = type === 'aFChunk' ? document.bytes(target) : undefined;
    if (!bytes) continue;
    const content = await container.readAs(posix.basename(target), bytes);
    if ('reason' in content) container.leaveOut(target, content);
    else chunks.set(id, content.text);
  }
  return chunks;
}
