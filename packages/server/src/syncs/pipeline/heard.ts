/** Collects which partitions a pull has listed, met, lost or barred, for the sweep and for the next bookmark. */
import { emptyListing, type Listing } from '../jobs/listing.ts';
import type { ItemBatch } from './batches.ts';

export interface Heard extends Listing {
  /** The source says that these partitions must not be stored. */
  readonly barred: ReadonlySet<string>;
}

/** `until` is the listing of the job's earlier attempts. */
export function createHeard(
  until: Listing,
): Heard & { note(batch: ItemBatch): void; takeNews(): Listing } {
  const all = {
    listed: new Set(until.listed),
    met: new Set(until.met),
    lost: new Set(until.lost),
  };
  const barred = new Set<string>();
  let news = emptyListing();

  function hear(what: keyof Listing, from: readonly { readonly partition: string }[]): void {
    for (const { partition } of from) {
      if (all[what].has(partition)) continue;
      all[what].add(partition);
      news[what].add(partition);
    }
  }

  return {
    ...all,
    barred,
    note(batch) {
      hear('met', [...batch.upserts, ...batch.stubs]);
      hear(
        'listed',
        batch.listed.map((partition) => ({ partition })),
      );
      hear('lost', batch.lost);
      for (const { id, removes } of batch.leftOut) if (removes === 'partition') barred.add(id);
    },
    /** Returns the changes of the listing since the last call. */
    takeNews() {
      const taken = news;
      news = emptyListing();
      return taken;
    },
  };
}
