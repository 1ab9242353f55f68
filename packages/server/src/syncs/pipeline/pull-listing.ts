/** Collects the partitions that a pull has listed, met, lost or barred, for the sweep and for the next bookmark. */
import { emptyListing, type Listing } from '../jobs/listing.ts';
import type { ItemBatch } from './batches.ts';

export interface PullListing extends Listing {
  /** The source says that these partitions must not be stored. */
  readonly barred: ReadonlySet<string>;
}

/** `earlier` is the listing of the job's earlier attempts. */
export function createPullListing(
  earlier: Listing,
): PullListing & { note(batch: ItemBatch): void; takeAdditions(): Listing } {
  const all = {
    listed: new Set(earlier.listed),
    met: new Set(earlier.met),
    lost: new Set(earlier.lost),
  };
  const barred = new Set<string>();
  let additions = emptyListing();

  function add(what: keyof Listing, from: readonly { readonly partition: string }[]): void {
    for (const { partition } of from) {
      if (all[what].has(partition)) continue;
      all[what].add(partition);
      additions[what].add(partition);
    }
  }

  return {
    ...all,
    barred,
    note(batch) {
      add('met', [...batch.upserts, ...batch.stubs]);
      add(
        'listed',
        batch.listed.map((partition) => ({ partition })),
      );
      add('lost', batch.lost);
      for (const { id, removes } of batch.leftOut) if (removes === 'partition') barred.add(id);
    },
    /** Returns the partitions that were added since the last call. */
    takeAdditions() {
      const taken = additions;
      additions = emptyListing();
      return taken;
    },
  };
}
