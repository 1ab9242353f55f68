/** Groups the items of a source into batches. A sync prepares and commits batch by batch. */
import { SourceError } from '../../errors.ts';
import { isStorable } from '../../model/storable.ts';
import {
  fail,
  type LeftOut,
  type SourceItem,
  type Stub,
  type Upsert,
} from '../../sources/items.ts';

export interface ItemBatch {
  readonly upserts: readonly Upsert[];
  readonly stubs: readonly Stub[];
  readonly leftOut: readonly LeftOut[];
  /** The source says that the records with these ids are gone. */
  readonly removals: readonly string[];
  readonly listed: readonly string[];
  readonly lost: readonly { partition: string; error: SourceError }[];
  /** The next pull may go on here after this batch. Undefined means that the batch ends without a checkpoint. */
  readonly cursor: unknown;
  /**
   * An interrupted full pull may go on here after this batch. Undefined means that the batch ends without a bookmark.
   */
  readonly bookmark: unknown;
}

type ForOneRecord = Exclude<SourceItem, { kind: 'checkpoint' | 'bookmark' | 'listed' | 'lost' }>;

/**
 * A checkpoint or a bookmark ends the batch, so it is never stored before the records that the source gave before it.
 * When a batch has two items with one id, the later item wins. A batch also ends at `records` different records, or at
 * `characters` characters of text.
 */
export async function* batches(
  items: AsyncIterable<SourceItem>,
  limit: { records: number; characters: number },
): AsyncGenerator<ItemBatch, void, void> {
  let open = emptyBatch();
  for await (const item of storable(items)) {
    if (item.kind === 'listed') open.listed.push(item.partition);
    else if (item.kind === 'lost') open.lost.push(item);
    else if (item.kind !== 'checkpoint' && item.kind !== 'bookmark') {
      const id = idOf(item);
      // The id is deleted first, so that the later item also takes the later place.
      open.latest.delete(id);
      open.latest.set(id, item);
      if (item.kind === 'upsert') open.characters += charactersOf(item);
    }
    const full = open.latest.size >= limit.records || open.characters >= limit.characters;
    if (item.kind === 'checkpoint') yield { ...close(open), cursor: item.cursor };
    else if (item.kind === 'bookmark') yield { ...close(open), bookmark: item.position };
    else if (full) yield close(open);
    else continue;
    open = emptyBatch();
  }
  if (open.latest.size + open.listed.length + open.lost.length > 0) yield close(open);
}

const charactersOf = ({ entity: { text, html = '' } }: Upsert) => text.length + html.length;

const emptyBatch = () => ({
  latest: new Map<string, ForOneRecord>(),
  listed: [] as string[],
  lost: [] as { partition: string; error: SourceError }[],
  characters: 0,
});

function close(open: ReturnType<typeof emptyBatch>): ItemBatch {
  const items = [...open.latest.values()];
  const ofKinds = <Kind extends ForOneRecord['kind']>(...kinds: Kind[]) =>
    items.filter((item): item is Extract<ForOneRecord, { kind: Kind }> =>
      (kinds as string[]).includes(item.kind),
    );
  return {
    upserts: ofKinds('upsert'),
    stubs: ofKinds('stub'),
    leftOut: ofKinds('skip', 'fail'),
    removals: ofKinds('remove').map((item) => item.id),
    listed: open.listed,
    lost: open.lost,
    cursor: undefined,
    bookmark: undefined,
  };
}

const idOf = (item: ForOneRecord) => (item.kind === 'upsert' ? item.entity.id : item.id);

/**
 * Yields no item with an id that a database cannot store, because the whole commit of such an item would fail. A record
 * or a stub becomes a failure with the escaped id, a skip or a failure gets the escaped id, and a removal is dropped.
 */
async function* storable(items: AsyncIterable<SourceItem>): AsyncGenerator<SourceItem, void, void> {
  for await (const item of items) {
    const id = 'id' in item || 'entity' in item ? idOf(item) : '';
    if (isStorable(id)) yield item;
    else yield* unstorable(item as ForOneRecord, JSON.stringify(id).slice(1, -1));
  }
}

function* unstorable(item: ForOneRecord, id: string): Generator<SourceItem, void, void> {
  // The id was never stored, so there is nothing to remove.
  if (item.kind === 'remove') return;
  if (item.kind === 'skip' || item.kind === 'fail') return yield { ...item, id };
  const { type } = item.kind === 'upsert' ? item.entity : item;
  const hint =
    'Give the record an id without NUL characters and without unpaired surrogates, or leave the record out.';
  yield fail(
    id,
    type,
    new SourceError('skip', 'its id has characters that no database keeps', { hint }),
  );
}
