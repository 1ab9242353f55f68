/**
 * A decision says what becomes of one record or of one stored row. It is the only thing that passes from the steps
 * that read, compare and transform records to the commit: the commit writes it, and the counters count it.
 */
import type { Insertable, Updateable } from 'kysely';
import type { EntityTable } from '../../db/schema.ts';
import type { Chunk } from '../../model/chunk.ts';
import type { Entity } from '../../model/entity.ts';
import { skip } from '../../sources/items.ts';
import type { LeftOutRecord } from '../jobs/left-out-store.ts';
import type { Recipe } from './recipe.ts';
import type { StoredEntity } from './store.ts';

export type Decision =
  | Write
  | Hide
  | Retain
  | Touch
  | Damage
  | Delete
  | BelowListed
  // This counts and lists a record that is not taken in, and writes no row.
  | LeftOutRecord;

/** These columns of a row have the recipe by which it was made, and its record's version and place at the source. */
interface Made {
  readonly recipe: Recipe;
  readonly version: string | null;
  readonly partition: string;
  /** This is the id of the record above, or null. */
  readonly parent: string | null;
  /** This names the content of the file of which the text was extracted, or is null. */
  readonly contentHash: string | null;
}

/** This is a record as its source gave it. */
export interface SourceRecord {
  readonly entity: Entity;
  readonly hash: string;
}

/** Writes the row of an entity that is shown, with its chunks. */
export interface Write extends Made {
  readonly kind: 'write';
  /** The entity is in the form that is shown. */
  readonly entity: Entity;
  readonly stored: StoredEntity | undefined;
  readonly hash: string;
  readonly generation: number;
  /** This is null when no transformer concerned the record, and when the entity was made of another record. */
  readonly source: SourceRecord | null;
  /**
   * This is the id of the record of which the entity was made: by a transformer, or because it is inside of the file of
   * the record. Null means that the entity is the source's own record.
   */
  readonly origin: string | null;
  /** This is false when only the recipe differs and the content is unchanged. */
  readonly contentChanged: boolean;
}

/** Keeps a record that its transformers dropped or failed, in a row that no reader sees. */
export interface Hide extends Made {
  readonly kind: 'hide';
  readonly source: SourceRecord;
  readonly stored: StoredEntity | undefined;
  readonly generation: number;
  /** Transformers failed the record in this attempt. Null means that they dropped it. */
  readonly failedAttempt: string | null;
  readonly leftOut: LeftOutRecord;
}

/** Stores the source's record, but leaves the shown form as it is, because transformers failed the record. */
export interface Retain extends Made {
  readonly kind: 'retain';
  readonly source: SourceRecord;
  readonly stored: StoredEntity;
  readonly failedAttempt: string;
  readonly leftOut: LeftOutRecord;
}

/** Notes that the pull has seen the record, which is unchanged. */
export interface Touch {
  readonly kind: 'touch';
  readonly stored: StoredEntity;
  /** The pull of this generation has seen the record. */
  readonly generation: number;
  readonly version: string | null;
  readonly partition: string;
  readonly parent: string | null;
  readonly contentHash: string | null;
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
}

/** Marks a row whose stored record cannot be read, so that a full sync asks the source for it again. */
export interface Damage {
  readonly kind: 'damage';
  readonly stored: StoredEntity;
  readonly leftOut: LeftOutRecord;
}

/** Deletes a row with its chunks, and everything below it. */
export interface Delete {
  readonly kind: 'delete';
  readonly stored: StoredEntity;
  readonly below: readonly StoredEntity[];
  /** The source did not tell the deletion; the entity was missing in its listing. */
  readonly isMissing: boolean;
}

/** Notes at which version of a record everything below it is stored; null means that it must be listed again. */
export interface BelowListed {
  readonly kind: 'below';
  /** This is the id of the record at its source. */
  readonly id: string;
  readonly version: string | null;
}

/** A commit writes decisions in this form, with the chunks and the row of each entity. */
export type PreparedDecision =
  | Exclude<Decision, Write | Hide | Retain>
  | PreparedWrite
  | PreparedHide
  | PreparedRetain
  | Renew;
export type PreparedHide = Hide & Prepared;
export type PreparedRetain = Retain & { readonly columns: Updateable<EntityTable> };
export type PreparedWrite = Write & Prepared & { readonly chunks: readonly Chunk[] };
interface Prepared {
  /** This is the id of the row. */
  readonly row: string;
  readonly columns: Insertable<EntityTable>;
}

/** Makes the chunks of a row again, and leaves the row as it is otherwise. */
export interface Renew {
  readonly kind: 'renew';
  readonly stored: StoredEntity;
  readonly chunks: readonly Chunk[];
  readonly chunkVersion: string;
}

/** Selects the decisions of these kinds, in their order. */
export const ofKind = <One extends { readonly kind: string }, Kind extends One['kind']>(
  decisions: readonly One[],
  ...kinds: readonly Kind[]
): Extract<One, { readonly kind: Kind }>[] =>
  decisions.filter((one): one is Extract<One, { readonly kind: Kind }> =>
    (kinds as readonly string[]).includes(one.kind),
  );

export type RowsBelow = ReadonlyMap<string, readonly StoredEntity[]>;

/** `below` has rows below these rows, by the id of the record above. No row is deleted twice. */
export const deletes = (rows: readonly StoredEntity[], below: RowsBelow = new Map()): Delete[] =>
  deletionsOf(rows, { below, isMissing: false });

export const deletesMissing = (
  rows: readonly StoredEntity[],
  below: RowsBelow = new Map(),
): Delete[] => deletionsOf(rows, { below, isMissing: true });

function deletionsOf(
  rows: readonly StoredEntity[],
  { below, isMissing }: { readonly below: RowsBelow; readonly isMissing: boolean },
): Delete[] {
  const belowOf = ({ origin, entity_id }: StoredEntity) =>
    origin === null ? (below.get(entity_id) ?? []) : [];
  const goWithParent = new Set(rows.flatMap(belowOf).map(({ id }) => id));
  return rows
    .filter(({ id }) => !goWithParent.has(id))
    .map((stored) => ({ kind: 'delete', stored, below: belowOf(stored), isMissing }));
}

/** Returns the rows that a deletion removes. */
export const goneIn = ({ stored, below }: Delete): StoredEntity[] => [stored, ...below];

/** A record for which its transformers gave nothing is left out for this reason. */
const DROPPED = 'dropped by a transformer';

export const droppedRecord = (id: string, type: string): LeftOutRecord => ({
  ...skip(id, type, { reason: DROPPED }),
  stage: 'transform',
});

export const damage = (stored: StoredEntity): Damage => ({
  kind: 'damage',
  stored,
  leftOut: {
    kind: 'fail',
    id: stored.entity_id,
    type: stored.entity_type,
    reason: 'its stored record cannot be read',
    detail: null,
    hint: 'A full sync asks the source for it again.',
    stage: 'transform',
  },
});

/** The record of this row is unchanged. */
export const touchOf = (
  stored: StoredEntity,
  {
    version,
    partition,
    parent,
    generation,
  }: Pick<Touch, 'version' | 'partition' | 'parent' | 'generation'>,
): Touch => ({
  kind: 'touch',
  stored,
  generation,
  version,
  partition,
  parent,
  contentHash: stored.content_hash,
  createdAt: stored.source_created_at,
  updatedAt: stored.source_updated_at,
});

/** Touches a row that was made of a record together with it. The row gets the times of the record, unless it has its own. */
export const touchWith = (own: Touch, row: StoredEntity): Touch => {
  const { stored, partition, parent, generation, createdAt, updatedAt } = own;
  const touch = touchOf(row, { version: row.version, partition, parent, generation });
  return {
    ...touch,
    ...(row.source_created_at === stored.source_created_at && { createdAt }),
    ...(row.source_updated_at === stored.source_updated_at && { updatedAt }),
  };
};

/** Returns the times of an entity as its row has them. */
export const datesOf = ({
  createdAt,
  updatedAt,
}: Pick<Entity, 'createdAt' | 'updatedAt'>): Pick<Touch, 'createdAt' | 'updatedAt'> => ({
  createdAt: createdAt?.getTime() ?? null,
  updatedAt: updatedAt?.getTime() ?? null,
});

export const timesChanged = ({ stored, createdAt, updatedAt }: Touch): boolean =>
  stored.source_created_at !== createdAt || stored.source_updated_at !== updatedAt;
