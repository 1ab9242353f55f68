/** Says in words how connections and jobs are. */

import { count } from 'quarry-text/numbers';
import type { Schemas } from '../api/client.ts';
import { sentenceOf } from './refusal.ts';

export type Tone = 'ok' | 'live' | 'wait' | 'warn' | 'bad' | 'none';

export interface Shown {
  readonly tone: Tone;
  readonly word: string;
}

type Connection = Schemas['SourceConnection'];

/** A connection has a state of now, and a last job that may have ended badly. */
export function connectionState(connection: Connection): Shown {
  const { status, federated_search, sync, deletions_held_back } = connection;
  switch (status) {
    case 'SYNCING':
      return { tone: 'live', word: 'Syncing' };
    case 'PENDING_AUTH':
      return { tone: 'wait', word: 'Waiting for sign-in' };
    case 'NEEDS_REAUTH':
      return { tone: 'bad', word: 'Sign-in refused' };
    case 'ERROR':
      return { tone: 'bad', word: 'Failed' };
    case 'INACTIVE':
      return { tone: 'none', word: 'Switched off' };
    case 'ACTIVE':
      if (deletions_held_back) return { tone: 'warn', word: 'Deletions held back' };
      if (federated_search) return { tone: 'ok', word: 'Asked live' };
      if (!sync?.last_job) return { tone: 'wait', word: 'Not synced yet' };
      if (sync.last_job.status === 'CANCELLED') return { tone: 'wait', word: 'Stopped' };
      if (hasFoundNothing(connection)) return { tone: 'warn', word: 'Nothing found' };
      return { tone: 'ok', word: 'Up to date' };
  }
}

/** The last sync has completed, and there was nothing that it could copy or that failed. */
export const hasFoundNothing = ({
  sync,
  entities,
}: Pick<Connection, 'sync' | 'entities'>): boolean =>
  sync?.last_job?.status.toLowerCase() === 'completed' &&
  sync.last_job.entities_failed === 0 &&
  entities.total_entities === 0;

/** Says that a sync has found nothing. */
export const nothingFoundAt = (shortName: string): string =>
  shortName === 'files' ? 'No readable files were found there.' : 'The source has nothing to copy.';

/** Says why a job has failed, and what to do. */
export const whyFailed = ({
  error,
  error_details,
}: Pick<Schemas['SourceConnectionJob'], 'error' | 'error_details'>): string =>
  [error ?? 'it is not known why', error_details?.hint ?? '']
    .filter(Boolean)
    .map(sentenceOf)
    .join(' ');

const JOB_STATES: Record<string, Shown> = {
  created: { tone: 'wait', word: 'Waiting' },
  pending: { tone: 'wait', word: 'Waiting' },
  running: { tone: 'live', word: 'Running' },
  in_progress: { tone: 'live', word: 'Running' },
  completed: { tone: 'ok', word: 'Completed' },
  failed: { tone: 'bad', word: 'Failed' },
  cancelling: { tone: 'warn', word: 'Stopping' },
  cancelled: { tone: 'none', word: 'Stopped' },
};

export const jobState = (status: string): Shown =>
  JOB_STATES[status.toLowerCase()] ?? { tone: 'none', word: status };

export const isRunning = (status: string): boolean =>
  ['created', 'pending', 'running', 'in_progress', 'cancelling'].includes(status.toLowerCase());

interface Changes {
  readonly entities_inserted: number;
  readonly entities_updated: number;
  readonly entities_deleted: number;
  readonly entities_failed: number;
}

/** "14 new, 3 changed, 1 deleted", or "nothing changed". */
export function changesOf(job: Changes): string {
  const parts = [
    [job.entities_inserted, 'new'],
    [job.entities_updated, 'changed'],
    [job.entities_deleted, 'deleted'],
    [job.entities_failed, 'failed'],
  ] as const;
  const words = parts.flatMap(([value, word]) => (value > 0 ? `${count(value)} ${word}` : []));
  return words.length > 0 ? words.join(', ') : 'nothing changed';
}
