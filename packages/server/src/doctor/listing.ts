/**
 * Compares the stored records of a connection with those that its source lists, by a full pull that reads only ids
 * and versions. What is below a record that is listed counts as listed too. It runs in the lane of the connection, so no
 * sync changes the stored records meanwhile. It only reports differences, because only a sync knows what may be deleted.
 */

import type { Kysely } from 'kysely';
import type { Schema, StoredProblem } from '../db/schema.ts';
import type { OptionalKinds } from '../documents/kinds.ts';
import type { ConnectionScope } from '../engines/ports.ts';
import { openSource, type SignInDeps } from '../sign-in/open-source.ts';
import type { Stub } from '../sources/items.ts';
import { emptyListing, type Listing } from '../syncs/jobs/listing.ts';
import { batches } from '../syncs/pipeline/batches.ts';
import { belowVersion, hasBelow } from '../syncs/pipeline/below.ts';
import { ofSource } from '../syncs/pipeline/of-source.ts';
import { connectionOf } from '../syncs/pipeline/run-store.ts';
import { type StoredEntity, stored } from '../syncs/pipeline/store.ts';
import { mayBeSwept } from '../syncs/pipeline/sweep.ts';
import type { Span } from '../telemetry/trace.ts';
import { storedPage } from './listing-store.ts';
import { createFindings, type Findings } from './problems.ts';

const BATCH = { records: 500, characters: 2_000_000 };

export interface ListingDeps extends SignInDeps {
  readonly db: Kysely<Schema>;
  readonly span: Span;
}

interface SourceComparison {
  readonly connectionId: string;
  /** The comparison calls this with the number of records that the source has listed so far. */
  readonly progress: (listed: number) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Compares the stored records with the source. Throws the errors of the source. */
export async function compareWithSource(
  deps: ListingDeps,
  { connectionId, progress, signal }: SourceComparison,
): Promise<readonly StoredProblem[]> {
  const connection = await connectionOf(deps.db, connectionId);
  const scope = { collectionId: connection.collection_id, connectionId };
  const meter = { requests: 0, bytes: 0 };
  await using opened = openSource(deps, connection, {
    cursor: null,
    lastCursor: null,
    cursorField: connection.cursor_field,
    bookmark: null,
    signal,
    meter,
    mayWait: true,
    span: deps.span,
  });
  const { source, context } = opened;
  if (!source.pull) throw new Error(`${source.shortName} lists nothing`);
  const found = createFindings();
  const listing = emptyListing();
  const seen = new Set<string>();
  const above = new Set<string>();
  let count = 0;
  for await (const batch of batches(ofSource(source.pull(context)), BATCH)) {
    signal.throwIfAborted();
    const records = [
      ...batch.upserts.map(({ entity, version, partition }) => ({
        id: entity.id,
        version,
        partition,
      })),
      ...batch.stubs,
    ];
    for (const { partition } of records) listing.met.add(partition);
    for (const partition of batch.listed) listing.listed.add(partition);
    for (const { partition, error } of batch.lost) {
      listing.lost.add(partition);
      found.add('not_listed', `${partition || '(all)'}: ${error.message}`);
    }
    const known = await stored(
      deps.db,
      scope,
      [...records, ...batch.leftOut].map(({ id }) => id),
    );
    const outdated = outdatedBelow(batch.stubs, known, deps.environment.optional);
    for (const record of records) findOutdated(record, { known, outdated, found });
    for (const { id } of [...batch.stubs.filter(hasBelow), ...batch.leftOut]) above.add(id);
    for (const { id } of known.values()) seen.add(id);
    count += records.length;
    await progress(count);
  }
  await findGone(deps.db, { scope, seen, above, listing, found, signal });
  return found.list();
}

function findOutdated(
  { id, version }: { readonly id: string; readonly version: string | null },
  {
    known,
    outdated,
    found,
  }: {
    readonly known: ReadonlyMap<string, StoredEntity>;
    readonly outdated: ReadonlySet<string>;
    readonly found: Findings;
  },
): void {
  const row = known.get(id);
  if (!row) found.add('missing_here', id);
  else if (row.version !== version || outdated.has(id)) found.add('outdated', id);
}

/** Returns the ids of the records of which something below may not be stored as it is. */
const outdatedBelow = (
  stubs: readonly Stub[],
  known: ReadonlyMap<string, StoredEntity>,
  optional: OptionalKinds | undefined,
): Set<string> =>
  new Set(
    stubs
      .filter(
        (stub) =>
          hasBelow(stub) && known.get(stub.id)?.below_version !== belowVersion(stub, optional),
      )
      .map(({ id }) => id),
  );

/** A pull has reached its end, and these are the records and partitions that it listed. */
interface EndedListing {
  readonly scope: ConnectionScope;
  /** These are the row ids of the records that the source has listed or left out. */
  readonly seen: ReadonlySet<string>;
  /** The listing does not name what is below these records, which are named by their ids at the source. */
  readonly above: ReadonlySet<string>;
  readonly listing: Listing;
  readonly found: Findings;
  readonly signal: AbortSignal;
}

async function findGone(
  db: Kysely<Schema>,
  { scope, seen, above, listing, found, signal }: EndedListing,
): Promise<void> {
  for (let after: string | null = null; ; ) {
    signal.throwIfAborted();
    const { rows, next } = await storedPage(db, scope, after);
    for (const { id, entity_id, partition, parent } of rows) {
      const isSeen = seen.has(id) || (parent !== null && above.has(parent));
      if (!isSeen && mayBeSwept(partition, listing)) found.add('gone_at_source', entity_id);
    }
    if (next === null) return;
    after = next;
  }
}
