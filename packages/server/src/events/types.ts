/**
 * These types list the fields of each event. The body that a webhook delivers also has `event_type`, `timestamp` and
 * `organization_id`. docs/events.md says when each event is sent.
 *
 * The names of the fields come from the specification. Where it has two names for a field, an event has both.
 */
import type { SyncStatus } from '../model/sync-status.ts';
import type { Cause } from '../telemetry/trace.ts';

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
  /** This is the same id as `job_id`. */
  readonly sync_job_id: string;
  readonly job_id: string;
  readonly source_connection_id: string;
  readonly source_type: string;
  /** This is the status of the job, as the API shows it. */
  readonly status: SyncStatus;
  readonly entities_inserted: number;
  readonly entities_updated: number;
  readonly entities_deleted: number;
  readonly entities_skipped: number;
  readonly chunks_written: number;
  /** The error is null unless the job failed. */
  readonly error: string | null;
}

/** A webhook may subscribe to each of these types. */
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
type EventType = (typeof EVENT_TYPES)[number];

type FieldsOf<Type extends EventType> = Type extends `sync.${string}`
  ? SyncFields
  : Type extends `collection.${string}`
    ? CollectionFields
    : ConnectionFields;

/** An event has no time yet: `emit` sets it when it writes the event. */
export type OutboxEvent = {
  [Type in EventType]: {
    readonly type: Type;
    readonly organizationId: string;
    readonly collectionId: string;
    /** The id is null for an event of the collection itself. */
    readonly connectionId: string | null;
    readonly fields: FieldsOf<Type>;
    /** The request that has caused the event, if one has. Deliveries go on with its trace. */
    readonly cause?: Cause | null | undefined;
  };
}[EventType];
