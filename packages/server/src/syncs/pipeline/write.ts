/** Writes decisions: rows, index and counters of entities change together, in the transaction of the caller. */
import type { DatabaseKind } from '../../db/connect.ts';
import { together } from '../../db/pipelined.ts';
import type { Tx } from '../../db/schema.ts';
import type { ConnectionScope, SearchIndex } from '../../engines/ports.ts';
import {
  goneIn,
  ofKind,
  type PreparedDecision,
  type Renew,
  type Touch,
  timesChanged,
} from './decision.ts';
import { writeEntities } from './entity-store.ts';
import { addToFields, fieldsOf } from './field-store.ts';
import { type FieldCount, fieldsIn, negated, sumOf } from './fields.ts';
import * as store from './store.ts';

export interface WriteDeps {
  readonly kind: DatabaseKind;
  readonly index: SearchIndex;
}

type RowDecision = Extract<PreparedDecision, { kind: 'write' | 'hide' }>;

interface DecisionsOfConnection {
  readonly scope: ConnectionScope;
  readonly decisions: readonly PreparedDecision[];
}

interface IndexChanges {
  readonly scope: ConnectionScope;
  readonly rows: readonly RowDecision[];
  /** These are the row ids of deleted entities. */
  readonly removed: readonly string[];
}

export async function writeDecisions(
  tx: Tx,
  { kind, index }: WriteDeps,
  { scope, decisions }: DecisionsOfConnection,
): Promise<void> {
  const rows = ofKind(decisions, 'write', 'hide');
  const touched = ofKind(decisions, 'touch');
  const removed = ofKind(decisions, 'delete')
    .flatMap(goneIn)
    .map(({ id }) => id);
  const replaced = rows.flatMap(({ stored }) => stored?.id ?? []);
  const { collectionId } = scope;
  const before = await fieldsOf(tx, { kind, collectionId }, [...replaced, ...removed]);
  await together([
    writeEntities(
      tx,
      kind,
      rows.map(({ columns }) => columns),
    ),
    writeIndex(tx, index, { scope, rows, removed }),
    store.addToCounts(tx, scope.connectionId, countDeltas(decisions)),
    addToFields(tx, scope.connectionId, fieldDeltas(before, rows)),
  ]);
  await renew(tx, index, { scope, renewed: ofKind(decisions, 'renew') });
  await store.deleteEntities(tx, collectionId, removed);
  await store.markSeen(tx, collectionId, touched);
  const refreshed = touched.filter(refreshNeeded);
  await store.refresh(tx, collectionId, refreshed);
  if (refreshed.some(timesChanged)) await index.touch(tx, collectionId);
  await store.noteBelow(tx, scope, ofKind(decisions, 'below'));
  await store.retain(tx, collectionId, ofKind(decisions, 'retain'));
  await store.markDamaged(tx, collectionId, ofKind(decisions, 'damage'));
}

async function writeIndex(tx: Tx, index: SearchIndex, { scope, rows, removed }: IndexChanges) {
  const chunks = rows.flatMap(chunksIn);
  // A new entity without chunks has nothing to replace. What is remembered of the collection may lack its type.
  const changed = rows.filter((row) => row.stored || chunksIn(row).length > 0);
  const entities = [...changed.map(({ row }) => row), ...removed];
  if (entities.length > 0) await index.write(tx, scope, entities, chunks);
  else if (rows.length > 0) await index.touch(tx, scope.collectionId);
}

async function renew(
  tx: Tx,
  index: SearchIndex,
  { scope, renewed }: { readonly scope: ConnectionScope; readonly renewed: readonly Renew[] },
): Promise<void> {
  if (renewed.length === 0) return;
  const ids = renewed.map(({ stored }) => stored.id);
  const chunks = renewed.flatMap((one) => one.chunks);
  await index.write(tx, scope, ids, chunks);
  for (const [chunkVersion, some] of Map.groupBy(renewed, (one) => one.chunkVersion))
    await store.markRenewed(tx, scope.collectionId, { renewed: some, chunkVersion });
}

const chunksIn = (row: RowDecision) => (row.kind === 'write' ? row.chunks : []);

const refreshNeeded = (touch: Touch) =>
  timesChanged(touch) ||
  touch.stored.version !== touch.version ||
  touch.stored.partition !== touch.partition ||
  touch.stored.parent !== touch.parent ||
  touch.stored.content_hash !== touch.contentHash;

/** Returns, for each field, how many entities have it after this commit minus how many had it before. */
function fieldDeltas(before: readonly FieldCount[], rows: readonly RowDecision[]): FieldCount[] {
  const shown = ofKind(rows, 'write').map(({ entity }) => entity);
  return sumOf([...fieldsIn(shown), ...before.map(negated)]);
}

/** Returns how the numbers of stored entities change, by type. */
function countDeltas(decisions: readonly PreparedDecision[]) {
  const deltas = new Map<string, { type: string; count: number; listed: number }>();
  const add = (type: string, count: number, isListed: boolean) => {
    const delta = deltas.get(type) ?? { type, count: 0, listed: 0 };
    delta.count += count;
    if (isListed) delta.listed += count;
    deltas.set(type, delta);
  };
  for (const decision of ofKind(decisions, 'write', 'hide', 'delete')) {
    const gone = decision.kind === 'delete' ? goneIn(decision) : [decision.stored];
    for (const stored of gone)
      if (stored && !stored.is_hidden) add(stored.entity_type, -1, stored.is_listed);
    if (decision.kind === 'write') add(decision.entity.type, 1, decision.columns.is_listed);
  }
  return [...deltas.values()].filter(({ count, listed }) => count !== 0 || listed !== 0);
}
