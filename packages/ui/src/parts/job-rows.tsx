import { Link } from '@tanstack/react-router';
import { counted } from 'quarry-text/numbers';
import { duration } from 'quarry-text/time';
import type { ReactNode } from 'react';
import type { Schemas } from '../api/client.ts';
import { changesOf, isRunning, jobState } from '../lib/states.ts';
import { State } from '../ui/state.tsx';
import { Ago } from '../ui/time.tsx';

type Job = Schemas['SyncJob'];

export const JOB_COLUMNS = [
  { title: 'Connection' },
  { title: 'Began' },
  { title: 'Result' },
  { title: 'Changes' },
  { title: 'Took', isNumber: true },
];

/** Returns the cells of a job in a list of jobs of several connections. */
export function jobCells(job: Job): readonly ReactNode[] {
  const { tone, word } = jobState(job.status);
  const kept = job.deletions_held_back;
  const end = job.completed_at ?? job.failed_at;
  return [
    <Link
      key="connection"
      to="/collections/$collection/connections/$connection"
      params={{ collection: job.readable_collection_id, connection: job.source_connection_id }}
      search={{ job: job.id }}
      className="whole-row"
    >
      <strong>
        <bdi>{job.sync_name}</bdi>
      </strong>
    </Link>,
    <span key="began" className="muted">
      {job.started_at ? <Ago at={job.started_at} /> : isRunning(job.status) ? 'waiting' : 'never'}
    </span>,
    <State key="result" tone={kept > 0 ? 'warn' : tone}>
      {kept > 0 ? `${counted(kept, 'deletion')} held back` : word}
    </State>,
    <span key="changes" className="soft">
      {job.error ?? changesOf(job)}
    </span>,
    <span key="took" className="nowrap">
      {job.started_at && end && duration(Date.parse(end) - Date.parse(job.started_at))}
    </span>,
  ];
}
