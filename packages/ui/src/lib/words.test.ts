import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bytes, counted } from 'quarry-text/numbers';
import { changesOf, connectionState } from './states.ts';
import { typeName } from './words.ts';

describe('words for people', () => {
  it('are made from names of types', () => {
    const names = ['NotionPage', 'File', 'postgres_row', 'GitHubPullRequest', 'SlackDM'];
    assert.deepEqual(names.map(typeName), [
      'Notion page',
      'File',
      'Postgres row',
      'Github pull request',
      'Slack DM',
    ]);
  });

  it('count things', () => {
    assert.equal(counted(1, 'record'), '1 record');
    assert.equal(counted(48_211, 'record'), '48,211 records');
    assert.deepEqual([999, 1000, 14_200_000, 2e12].map(bytes), [
      '999 B',
      '1.0 kB',
      '14 MB',
      '2.0 TB',
    ]);
  });

  it('say what a job has changed', () => {
    const none = { entities_inserted: 0, entities_updated: 0, entities_deleted: 0 };
    assert.equal(changesOf({ ...none, entities_failed: 0 }), 'nothing changed');
    assert.equal(
      changesOf({ ...none, entities_inserted: 1400, entities_failed: 2 }),
      '1,400 new, 2 failed',
    );
  });

  it('say how a connection is, and never that it is up to date before a sync has ended', () => {
    const entities = { total_entities: 3 };
    const connection = { ...{ status: 'ACTIVE', federated_search: false, entities }, sync: {} };
    const stateOf = (more: object) =>
      connectionState({ ...connection, ...more } as Parameters<typeof connectionState>[0]).word;
    assert.equal(stateOf({}), 'Not synced yet');
    assert.equal(stateOf({ sync: { last_job: { status: 'COMPLETED' } } }), 'Up to date');
    const sync = { last_job: { status: 'COMPLETED', entities_failed: 0 } };
    assert.equal(stateOf({ sync, entities: { total_entities: 0 } }), 'Nothing found');
    assert.equal(stateOf({ sync: { last_job: { status: 'CANCELLED' } } }), 'Stopped');
    assert.equal(stateOf({ federated_search: true }), 'Asked live');
    assert.equal(stateOf({ status: 'NEEDS_REAUTH' }), 'Sign-in refused');
    const held = { deletions_held_back: { job_id: '', count: 412 } };
    assert.equal(
      stateOf({ sync: { last_job: { status: 'COMPLETED' } }, ...held }),
      'Deletions held back',
    );
  });
});
