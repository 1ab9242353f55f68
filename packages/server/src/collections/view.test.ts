import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { statusOf } from './view.ts';

describe('the status of a collection', () => {
  for (const [id, connections, failing, federated, synced_at, status] of [
    ['COL-20', 0, 0, 0, null, 'NEEDS_SOURCE'],
    ['COL-20', 1, 0, 0, null, 'NEEDS_SOURCE'],
    ['COL-21', 1, 0, 0, 1, 'ACTIVE'],
    ['COL-24', 0, 0, 0, 0, 'ACTIVE'],
    ['COL-32', 1, 1, 0, null, 'ERROR'],
    ['COL-32', 1, 1, 0, 1, 'ERROR'],
    ['COL-32', 2, 1, 0, null, 'NEEDS_SOURCE'],
    ['COL-32', 2, 1, 0, 1, 'ACTIVE'],
    ['COL-32', 2, 2, 0, 1, 'ERROR'],
    ['COL-22', 1, 0, 1, null, 'ACTIVE'],
    ['COL-22', 2, 1, 1, null, 'ACTIVE'],
    ['COL-32', 2, 2, 0, null, 'ERROR'],
  ] as const)
    it(`[${id}] ${failing} of ${connections} failing, ${federated} federated, synced ${synced_at}: ${status}`, () =>
      assert.equal(statusOf({ connections, failing, federated, synced_at }), status));
});
