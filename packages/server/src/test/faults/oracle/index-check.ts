/** Rows, chunks, words, vectors and counts are of one moment: whatever is committed agrees. */
import type { Entity } from '../../../model/entity.ts';
import { wrongChunks, wrongColumns } from './content.ts';
import type { ChunkRow, EntityRow, Observer } from './observe.ts';
import { hold, same } from './violation.ts';

export function checkIndex(
  observer: Observer,
  rows: readonly EntityRow[],
  chunks: readonly ChunkRow[],
  contentOf: (row: EntityRow) => Entity | undefined,
  isDeleted: (connectionId: string) => boolean,
): void {
  const indexes = observer.indexes();
  const words = new Map(indexes.map(({ number }) => [number, observer.words(number)]));
  const indexOf = new Map(indexes.map((index) => [index.collection_id, index]));
  const byEntity = Map.groupBy(chunks, ({ entity }) => entity);
  const totals = new Map(indexes.map(({ number }) => [number, { chunks: 0, terms: 0 }]));

  for (const row of rows) {
    const mine = byEntity.get(row.id) ?? [];
    byEntity.delete(row.id);
    const index = indexOf.get(row.collection_id);
    hold(index, 'the index agrees with the rows', () => `no index of ${row.collection_id}`);
    const total = totals.get(index.number)!;
    total.chunks += mine.length;
    for (const chunk of mine) total.terms += chunk.length;
    const entity = contentOf(row);
    hold(entity, 'rows are what a source said', () => `nothing is known of ${row.entity_id}`);
    const wrong = wrongColumns(row, entity);
    same(wrong.join(), '', 'rows are what a source said', `columns of ${row.entity_id}`);
    const isIndexed = / vectors /.test(row.recipe);
    const fault = isIndexed
      ? wrongChunks(entity, mine, words.get(index.number)!)
      : mine.length > 0
        ? 'chunks without vectors wanted'
        : undefined;
    same(
      fault,
      undefined,
      'the index agrees with the rows',
      `${row.entity_id} of ${row.connection_id}`,
    );
  }
  same(byEntity.size, 0, 'no chunk without its entity', [...byEntity.keys()].join());
  same(observer.orphans().length, 0, 'no body without its chunk');
  for (const { number, ...index } of indexes) {
    const total = totals.get(number)!;
    same(index.chunks, total.chunks, 'totals are true', `chunks of index ${number}`);
    same(index.terms, total.terms, 'totals are true', `terms of index ${number}`);
    same(words.get(number)!.size, total.chunks, 'no words without a chunk', `index ${number}`);
  }
  checkCounts(observer, rows, isDeleted);
}

function checkCounts(
  observer: Observer,
  rows: readonly EntityRow[],
  isDeleted: (connectionId: string) => boolean,
): void {
  const counted = new Map<string, { count: number; listed: number }>();
  for (const row of rows) {
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
