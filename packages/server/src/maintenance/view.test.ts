import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { kindOf } from './problems.ts';
import { statusOf } from './view.ts';

const of = (...statuses: Parameters<typeof statusOf>[0][number]['status'][]) =>
  statusOf(statuses.map((status) => ({ status })));

describe('status of a run', () => {
  it('is that of what has not ended, then that of what failed', () => {
    assert.equal(of(), 'COMPLETED');
    assert.equal(of('PENDING', 'PENDING'), 'PENDING');
    assert.equal(of('PENDING', 'COMPLETED'), 'RUNNING');
    assert.equal(of('FAILED', 'RUNNING', 'PENDING'), 'RUNNING');
    assert.equal(of('FAILED', 'COMPLETED'), 'FAILED');
    assert.equal(of('COMPLETED', 'COMPLETED'), 'COMPLETED');
  });
});

describe('kinds of problems', () => {
  it('are known, or it is a mistake of ours', () => {
    assert.equal(kindOf('missing_here').repairable, false);
    assert.throws(() => kindOf('toString'), /no problem of the kind toString/);
  });
});
