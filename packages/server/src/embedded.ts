/**
 * Quarry inside of a Node program. This file is what the package `quarry` exports. It imports only the client, and the code
 * of the service when Quarry is opened, so that a Node that is too old is told in a sentence.
 */
import type { EmbeddedQuarry } from './embedded/methods.ts';
import type { EmbeddedOptions } from './embedded/options.ts';

// biome-ignore lint/performance/noBarrelFile: a package has one entry.
export {
  type AgenticEvent,
  bodyOf,
  eventsOf,
  itemsOf,
  pageOf,
  pagesAfter,
  type QuarryClient,
  QuarryError,
  type QuarrySchemas,
  type SyncJobEvent,
} from 'quarry-client';
export type * from './embedded/methods.ts';
export type * from './embedded/options.ts';

const OLDEST_NODE = '24.20';

/**
 * Opens Quarry in this process, without a port. Throws an Error with a sentence for each wrong option, and when another
 * process holds the data.
 */
export async function openQuarry(options: EmbeddedOptions = {}): Promise<EmbeddedQuarry> {
  const { node } = process.versions;
  if (OLDEST_NODE.localeCompare(node, 'en', { numeric: true }) > 0)
    throw new Error(`Quarry needs Node.js ${OLDEST_NODE} or newer, and this is ${node}`);
  const { openEmbedded } = await import('./embedded/open.ts');
  return openEmbedded(options);
}
