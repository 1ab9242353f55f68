/** Rows, chunks, words, vectors and counts belong to one moment, so they agree after every commit. */
import type { Entity } from '../../../model/entity.ts';
import { hold, same } from '../../random/violation.ts';
import { wrongChunks, wrongColumns } from './content.ts';
import type { ChunkRow, EntityRow, IndexRow, Observer } from './observe.ts';

export interface Stored {
  readonly observer: Observer;
  readonly contentOf: (row: EntityRow) => Entity | undefined;
  readonly isDeleted: (connectionId: string) => boolean;
}

const RULE = 'the index agrees with the rows';

/** An index must have these sums according to the rows. */
interface Sums {
  readonly index: IndexRow;
  chunks: number;
  terms: number;
}

export function checkIndex(stored: Stored): void {
  const { observer } = stored;
  const sums = new Map(
    observer
      .indexes()
      .map((index): [string, Sums] => [index.collection_id, { index, chunks: 0, terms: 0 }]),
  );
  const chunks = chunksByEntity(observer);
  for (const row of observer.entities()) {
    const sum = sums.get(row.collection_id);
    hold(sum, RULE, () => `no index of ${row.collection_id}`);
    checkRow(stored, row, chunks.get(row.id) ?? [], sum);
    chunks.delete(row.id);
  }
  same(chunks.size, 0, 'no chunk without its entity', [...chunks.keys()].join());
  same(observer.orphans().length, 0, 'no body without its chunk');
  for (const sum of sums.values()) checkSums(sum);
  checkCounts(stored);
  checkFields(stored);
}

const chunksByEntity = (observer: Observer) =>
  Map.groupBy(observer.chunks(), ({ entity }) => entity);

function checkRow(
  { contentOf }: Stored,
  row: EntityRow,
  chunks: readonly ChunkRow[],
  sum: Sums,
): void {
  const entity = contentOf(row);
  hold(entity, 'rows are what a source said', () => `nothing is known of ${row.entity_id}`);
  const wrong = wrongColumns(row, entity);
  same(wrong.join(), '', 'rows are what a source said', `columns of ${row.entity_id}`);
  const where = () => `${row.entity_id} of ${row.connection_id}`;
  if (!row.is_searchable) {
    hold(chunks.length === 0, RULE, () => `${where()}: chunks without vectors wanted`);
    return;
  }
  const fault = wrongChunks(entity, chunks);
  hold(fault === undefined, RULE, () => `${where()}: ${fault}`);
  sum.chunks += chunks.length;
  for (const { length } of chunks) sum.terms += length;
}

function checkSums({ index, ...sum }: Sums): void {
  const { number } = index;
  same(index.chunks, sum.chunks, 'totals are true', `chunks of index ${number}`);
  same(index.terms, sum.terms, 'totals are true', `terms of index ${number}`);
}

function checkCounts({ observer, isDeleted }: Stored): void {
  const counted = new Map<string, { count: number; listed: number }>();
  for (const row of observer.entities()) {
    const key = `${row.connection_id} ${row.entity_type}`;
    const { count, listed } = counted.get(key) ?? { count: 0, listed: 0 };
    counted.set(key, { count: count + 1, listed: listed + row.is_listed });
  }
  for (const { connection_id, entity_type, count, listed } of observer.counts()) {
    if (isDeleted(connection_id)) continue;
    const key = `${connection_id} ${entity_type}`;
    const real = counted.get(key);
    same(count, real?.count ?? 0, 'entity counts are true', key);
    same(listed, real?.listed ?? 0, 'entity counts are true', `listed ${key}`);
    counted.delete(key);
  }
  for (const key of counted.keys())
    hold(isDeleted(key.split(' ')[0]!), 'entity counts are true', () => `${key} is not counted`);
}

function checkFields({ observer, isDeleted }: Stored): void {
  const counted = new Map<string, { count: number; open: number }>();
  for (const row of observer.entities()) {
    const isOpen = row.viewers === null || row.is_public === 1;
    for (const field of Object.keys(JSON.parse(row.metadata))) {
      const key = `${row.connection_id} ${row.entity_type} ${field}`;
      const { count, open } = counted.get(key) ?? { count: 0, open: 0 };
      counted.set(key, { count: count + 1, open: open + (isOpen ? 1 : 0) });
    }
  }
  for (const { connection_id, entity_type, field, count, open } of observer.fields()) {
    if (isDeleted(connection_id)) continue;
    const key = `${connection_id} ${entity_type} ${field}`;
    const real = counted.get(key);
    same(count, real?.count ?? 0, 'counts of fields are true', key);
    same(open, real?.open ?? 0, 'counts of fields are true', `open ${key}`);
    counted.delete(key);
  }
  for (const key of counted.keys())
    hold(isDeleted(key.split(' ')[0]!), 'counts of fields are true', () => `${key} is not counted`);
}
