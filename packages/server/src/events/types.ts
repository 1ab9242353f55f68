/**
 * What an event says: the bodies that a webhook delivers. docs/events.md says when each is sent.
 *
 * Field names are the specification's, both sets of them where it has two.
 */
import type { SyncStatus } from '../model/sync-status.ts';

interface CollectionFields {
  readonly collection_id: string;
  readonly collection_readable_id: string;
  readonly collection_name: string;
}

interface ConnectionFields {
  readonly source_connection_id: string;
  readonly collection_readable_id: string;
  readonly source_type: string;
  readonly is_authenticated: boolean;
}

interface SyncFields extends CollectionFields {
  readonly sync_id: string;
  /** The same as `job_id`. */
  readonly sync_job_id: string;
  readonly job_id: string;
  readonly source_connection_id: string;
  readonly source_type: string;
  /** Of the job, in the words of the source connection's view. */
  readonly status: SyncStatus;
  readonly entities_inserted: number;
  readonly entities_updated: number;
  readonly entities_deleted: number;
  readonly entities_skipped: number;
  readonly chunks_written: number;
  /** Null unless the job failed. */
  readonly error: string | null;
}

/** Every event there is, with the fields of its own. */
interface EventFields {
  'sync.pending': SyncFields;
  'sync.running': SyncFields;
  'sync.completed': SyncFields;
  'sync.failed': SyncFields;
  'sync.cancelled': SyncFields;
  'source_connection.created': ConnectionFields;
  'source_connection.deleted': ConnectionFields;
  'collection.created': CollectionFields;
  'collection.updated': CollectionFields;
  'collection.deleted': CollectionFields;
}

/** An event before it is written: its time comes with that. */
export type OutboxEvent = {
  [Type in keyof EventFields]: {
    readonly type: Type;
    readonly organizationId: string;
    readonly collectionId: string;
    /** Null for an event of the collection itself. */
    readonly connectionId: string | null;
    readonly fields: EventFields[Type];
  };
}[keyof EventFields];

/** Every type that may be subscribed to. */
export const EVENT_TYPES = [
  'sync.pending',
  'sync.running',
  'sync.completed',
  'sync.failed',
  'sync.cancelled',
  'source_connection.created',
  'source_connection.auth_completed',
  'source_connection.deleted',
  'collection.created',
  'collection.updated',
  'collection.deleted',
] as const;
