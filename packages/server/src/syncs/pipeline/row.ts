/** Makes the row of an entity that is written or hidden. */
import type { Insertable, Updateable } from 'kysely';
import type { EntityTable } from '../../db/schema.ts';
import { holdsSecret } from '../jobs/secrets.ts';
import type { Hide, Retain, Write } from './decision.ts';
import { compress } from './record.ts';

/** These columns are the same in all rows that a job writes. */
export interface RowTarget {
  readonly organizationId: string;
  readonly collectionId: string;
  readonly connectionId: string;
  readonly syncId: string;
  readonly jobId: string;
  readonly definitionId: (type: string) => string;
}

type NumberedRow = (Write | Hide) & { readonly row: string };

/** A hidden row is kept only so that its record can be transformed again. These columns show none of its content. */
const HIDDEN = {
  // The hash is empty, because hidden content must not be guessed from a hash.
  hash: '',
  origin: null,
  is_hidden: true,
  has_secret: false,
  name: '',
  url: null,
  breadcrumbs: '[]',
  viewers: null,
  is_public: false,
  metadata: '{}',
  shown: null,
} as const;

/** The row of a decision is made before its transaction begins, because compressing takes a while. */
export function toRow(decision: NumberedRow, target: RowTarget): Insertable<EntityTable> {
  const { stored, recipe, source } = decision;
  const entity = decision.kind === 'write' ? decision.entity : decision.source.entity;
  const isSame = stored && decision.kind === 'write' && !decision.contentChanged;
  const now = Date.now();
  return {
    id: decision.row,
    organization_id: target.organizationId,
    collection_id: target.collectionId,
    connection_id: target.connectionId,
    entity_id: entity.id,
    entity_type: entity.type,
    definition_id: target.definitionId(entity.type),
    sync_id: target.syncId,
    sync_job_id: isSame ? stored.sync_job_id : target.jobId,
    source_hash: source?.hash ?? null,
    ...recipe,
    content_hash: decision.contentHash,
    is_damaged: false,
    version: decision.version,
    partition: decision.partition,
    parent: decision.parent,
    generation: decision.generation,
    is_listed: decision.kind === 'write' && recipe.is_listable,
    source_created_at: entity.createdAt?.getTime() ?? null,
    source_updated_at: entity.updatedAt?.getTime() ?? null,
    raw: compress(source?.entity ?? entity),
    created_at: stored?.created_at ?? now,
    modified_at: isSame ? stored.modified_at : now,
    ...(decision.kind === 'write'
      ? {
          hash: decision.hash,
          origin: decision.origin,
          is_hidden: false,
          has_secret: holdsSecret(entity),
          failed_attempt: null,
          name: entity.name,
          url: entity.url ?? null,
          breadcrumbs: JSON.stringify(entity.breadcrumbs ?? []),
          viewers: entity.access?.viewers ? JSON.stringify(entity.access.viewers) : null,
          is_public: entity.access?.isPublic ?? false,
          metadata: JSON.stringify(entity.fields),
          shown: source && source.entity !== entity ? compress(entity) : null,
        }
      : { ...HIDDEN, failed_attempt: decision.failedAttempt }),
  };
}

/** Returns the columns that change when only the record of the source is stored, and what is shown stays. */
export const toRetained = (decision: Retain): Updateable<EntityTable> => ({
  raw: compress(decision.source.entity),
  source_hash: decision.source.hash,
  ...decision.recipe,
  content_hash: decision.contentHash,
  failed_attempt: decision.failedAttempt,
  is_damaged: false,
  version: decision.version,
  partition: decision.partition,
  parent: decision.parent,
});
