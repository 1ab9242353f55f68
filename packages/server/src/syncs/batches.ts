/** Groups what a source emits into batches, the unit in which a sync is prepared and committed. */
import type { SourceError } from '../errors.ts';
import type { Item, LeftOut, Stub, Upsert } from '../sources/define.ts';

export interface Batch {
  readonly upserts: readonly Upsert[];
  readonly stubs: readonly Stub[];
  readonly leftOut: readonly LeftOut[];
  /** Ids that the source says are gone. */
  readonly removals: readonly string[];
  readonly listed: readonly string[];
  readonly lost: readonly { partition: string; error: SourceError }[];
  /** Where the source may go on after this batch; undefined when it did not say. */
  readonly cursor: unknown;
}

type ForOneRecord = Exclude<Item, { kind: 'checkpoint' | 'listed' | 'lost' }>;

/**
 * A checkpoint closes its batch, so a cursor never runs ahead of its records. Of two items with one
 * id the later wins. A batch is also closed at `records`, or at `characters` of text.
 */
export async function* batches(
  items: AsyncIterable<Item>,
  limit: { records: number; characters: number },
): AsyncGenerator<Batch, void, void> {
  let open = emptyBatch();
  for await (const item of items) {
    if (item.kind === 'listed') open.listed.push(item.partition);
    else if (item.kind === 'lost') open.lost.push(item);
    else if (item.kind !== 'checkpoint') {
      const id = idOf(item);
      // Deleted first, so that the later one also takes the later place.
      open.latest.delete(id);
      open.latest.set(id, item);
      if (item.kind === 'upsert') open.characters += item.entity.text.length;
    }
    const full = open.latest.size >= limit.records || open.characters >= limit.characters;
    if (item.kind !== 'checkpoint' && !full) continue;
    yield close(open, item.kind === 'checkpoint' ? item.cursor : undefined);
    open = emptyBatch();
  }
  if (open.latest.size + open.listed.length + open.lost.length > 0) yield close(open, undefined);
}

const emptyBatch = () => ({
  latest: new Map<string, ForOneRecord>(),
  listed: [] as string[],
  lost: [] as { partition: string; error: SourceError }[],
  characters: 0,
});

function close(open: ReturnType<typeof emptyBatch>, cursor: unknown): Batch {
  const items = [...open.latest.values()];
  const of = <Kind extends ForOneRecord['kind']>(...kinds: Kind[]) =>
    items.filter((item): item is Extract<ForOneRecord, { kind: Kind }> =>
      (kinds as string[]).includes(item.kind),
    );
  return {
    upserts: of('upsert'),
    stubs: of('stub'),
    leftOut: of('skip', 'fail'),
    removals: of('remove').map((item) => item.id),
    listed: open.listed,
    lost: open.lost,
    cursor,
  };
}

const idOf = (item: ForOneRecord) => (item.kind === 'upsert' ? item.entity.id : item.id);
