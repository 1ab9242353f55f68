/** Remembers what a command has made, so that a command that does not come to its end leaves nothing behind. */
import { untilAborted } from '../../util.ts';
import { connectionPath } from '../follow-sync.ts';
import type { ServiceClient } from '../service-client.ts';

export type MadeThings = ReturnType<typeof rememberMade>;

export function rememberMade(service: ServiceClient) {
  const made: { readonly what: string; readonly path: string }[] = [];
  return {
    collection(readableId: string): void {
      made.push({
        what: `the collection '${readableId}'`,
        path: `/v1/collections/${encodeURIComponent(readableId)}`,
      });
    },
    connection(id: string): void {
      made.push({ what: `the source connection ${id}`, path: connectionPath(id) });
    },

    /**
     * Removes what was made, the newest first. Returns a sentence for each thing that is left, because the service has
     * refused to remove it, or `hurry` was aborted.
     */
    async remove(hurry: AbortSignal): Promise<string[]> {
      const left: string[] = [];
      for (const { what, path } of made.splice(0).reverse())
        try {
          hurry.throwIfAborted();
          await untilAborted(hurry, () => service.call('DELETE', path));
        } catch (error) {
          left.push(`${what} is left (${(error as Error).message}): DELETE ${path} removes it`);
        }
      return left;
    },
  };
}
