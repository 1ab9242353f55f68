import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AttemptResult } from '../model/delivery-state.ts';
import { healthOf } from './health.ts';

/** The newest outcome comes first; + stands for a success. */
const health = (outcomes: string) =>
  healthOf([...outcomes].map((one): AttemptResult => (one === '+' ? 'success' : 'failed')));

describe('health of an endpoint', () => {
  it('[DLV-15] depends on the newest ten attempts, and on the newest three', () => {
    assert.equal(health(''), 'unknown');
    assert.equal(health('+'), 'healthy');
    assert.equal(health('++++++++++'), 'healthy');
    assert.equal(health('++++++++++-'), 'healthy');
    assert.equal(health('+++++++++-'), 'degraded');
    assert.equal(health('-'), 'degraded');
    assert.equal(health('--'), 'degraded');
    assert.equal(health('--+'), 'degraded');
    assert.equal(health('---'), 'failing');
    assert.equal(health('---++++++++'), 'failing');
    assert.equal(health('+---------'), 'degraded');
  });
});
