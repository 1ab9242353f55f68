import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { catalog } from '../sources/catalog.ts';
import { jobOf } from '../test/app/job-of.ts';
import type { ConnectionRow } from './store.ts';
import { toSourceConnection } from './view.ts';

const row: ConnectionRow = {
  id: '00000000-0000-7000-8000-000000000001',
  organization_id: '00000000-0000-7000-8000-000000000002',
  collection_id: '00000000-0000-7000-8000-000000000003',
  readable_id: 'wiki',
  token_expires_at: null,
  failure_code: null,
  failure_message: null,
  watch_state: null,
  watch_message: null,
  watch_lease_until: null,
  name: 'Folder',
  folded_name: 'folder',
  description: null,
  short_name: 'files',
  config: { path: '/x' },
  auth_method: 'direct',
  auth_provider_id: null,
  credentials: null,
  credentials_key: null,
  authenticated_at: 1000,
  account: null,
  refused_at: null,
  configured_at: 1000,
  cron: '0 3 * * *',
  continuous: false,
  cursor_field: null,
  full_every: null,
  next_run_at: 5000,
  transformers: [],
  transformed: '',
  sync_id: '00000000-0000-7000-8000-000000000004',
  generation: 1,
  members_list: 0,
  members_read_at: null,
  cursor: null,
  true_as_of: 1500,
  total_runs: 3,
  successful_runs: 2,
  failed_runs: 1,
  created_at: 1000,
  modified_at: 2000,
  created_by_email: 'a@b.c',
  modified_by_email: 'd@e.f',
  deleted_at: null,
};
const source = catalog.get('files');
const show = (over: Partial<ConnectionRow> = {}, facts = {}) =>
  toSourceConnection(
    { ...row, ...over },
    {
      lastJob: undefined,
      lastFullJob: undefined,
      heldBack: undefined,
      isBusy: false,
      counts: [],
      source,
      ...facts,
    },
  );

describe('toSourceConnection', () => {
  it('[CON-30] shows the first status that applies', () => {
    const status = (over: Partial<ConnectionRow>, facts = {}) => show(over, facts).status;
    const failed = { lastJob: jobOf('FAILED') };
    assert.equal(status({}), 'ACTIVE');
    assert.equal(status({ authenticated_at: null, refused_at: 1 }, failed), 'PENDING_AUTH');
    assert.equal(status({ refused_at: 1 }, { isBusy: true }), 'NEEDS_REAUTH');
    assert.equal(status({}, { ...failed, isBusy: true, source: undefined }), 'SYNCING');
    assert.equal(status({}, { ...failed, source: undefined }), 'INACTIVE');
    assert.equal(status({}, failed), 'ERROR');
    for (const ended of ['COMPLETED', 'CANCELLED'] as const)
      assert.equal(status({}, { lastJob: jobOf(ended) }), 'ACTIVE', ended);
  });

  it('[CON-02] is authenticated if it signed in and was not refused since', () => {
    const auth = (over: Partial<ConnectionRow>) => show(over).auth;
    assert.deepEqual(auth({}), {
      method: 'direct',
      authenticated: true,
      authenticated_at: '1970-01-01T00:00:01.000Z',
      account: null,
      sign_in_error: null,
      expires_at: null,
    });
    assert.equal(auth({ refused_at: 1 }).authenticated, false);
    assert.equal(auth({ authenticated_at: null }).authenticated, false);
  });

  it('[CON-40] shows the watch of its folder until the worker that watches it has died', () => {
    const watch = (watch_lease_until: number | null) =>
      show({ watch_state: 'polling', watch_message: 'why', watch_lease_until }).watch;
    assert.deepEqual(watch(Date.now() + 30_000), { state: 'polling', message: 'why' });
    assert.equal(watch(Date.now() - 300_000), null);
    assert.equal(show({}).watch, null);
  });

  it('[CON-03] [CON-04] [CON-05] [CON-06] shows schedule, runs, newest job and counts', () => {
    const lastJob = jobOf('COMPLETED');
    const counts = [
      { entity_type: 'File', count: 2 },
      { entity_type: 'Page', count: 3 },
    ];
    const lastFullJob = {
      id: lastJob.id,
      started_at: null,
      completed_at: null,
      entities_encountered: { File: 2 },
    };
    const shown = show({}, { lastJob, lastFullJob, counts });
    assert.deepEqual(shown.schedule, {
      cron: '0 3 * * *',
      next_run: '1970-01-01T00:00:05.000Z',
      continuous: false,
      cursor_field: null,
    });
    const {
      source_connection_id: _,
      entities_by_type: __,
      deletions_held_back: ___,
      ...summary
    } = lastJob;
    assert.deepEqual(shown.sync, {
      total_runs: 3,
      successful_runs: 2,
      failed_runs: 1,
      last_job: summary,
      last_full_job: lastFullJob,
    });
    assert.deepEqual(shown.entities, {
      total_entities: 5,
      by_type: { File: { count: 2 }, Page: { count: 3 } },
    });
  });
});
