import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { retryAfterOf, scrubbed, statusFailure } from './failure.ts';

const NOW = Date.UTC(2026, 0, 1, 12);
const of = (headers: Record<string, string>) => (name: string) => headers[name];

describe('what a model says when it fails', () => {
  it('says when to come back in seconds, in milliseconds or as a date', () => {
    assert.equal(retryAfterOf(of({ 'retry-after': '2' }), NOW), 2000);
    assert.equal(retryAfterOf(of({ 'retry-after': '0.5' }), NOW), 500);
    assert.equal(retryAfterOf(of({ 'retry-after-ms': '70', 'retry-after': '2' }), NOW), 70);
    const date = 'Thu, 01 Jan 2026 12:00:30 GMT';
    assert.equal(retryAfterOf(of({ 'retry-after': date }), NOW), 30_000);
    const past = 'Thu, 01 Jan 2026 11:00:00 GMT';
    assert.equal(retryAfterOf(of({ 'retry-after': past }), NOW), 0);
    for (const headers of [{}, { 'retry-after': 'soon' }, { 'retry-after-ms': '-1' }])
      assert.equal(retryAfterOf(of(headers), NOW), undefined);
  });

  it('is one short line without keys, whole or in part', () => {
    assert.equal(scrubbed('no\n  such key: my-key.', 'my-key'), 'no such key: ***.');
    assert.equal(
      scrubbed('Incorrect API key: sk-proj-ab****wxyz', 'other'),
      'Incorrect API key: ***',
    );
    assert.equal(scrubbed('a'.repeat(500), undefined).length, 201);
    assert.equal(scrubbed('the key-value store', undefined), 'the key-value store');
  });

  it('is told apart by what to do next', () => {
    const kindOf = (status: number) => statusFailure(status, '', of({}), undefined).kind;
    assert.deepEqual([400, 401, 403, 404, 413, 422, 307].map(kindOf), Array(7).fill('refused'));
    assert.deepEqual([408, 500, 502, 503, 504, 529].map(kindOf), Array(6).fill('broken'));
    assert.equal(kindOf(429), 'limited');
  });

  it('is found in the forms that are in use', () => {
    const said = (body: unknown) =>
      statusFailure(400, typeof body === 'string' ? body : JSON.stringify(body), of({}), undefined)
        .message;
    for (const body of [
      { error: { message: 'no', type: 'x' } },
      { error: 'no' },
      { message: 'no' },
      { detail: 'no' },
      { error: null, detail: 'no' },
    ])
      assert.equal(said(body), '400 no');
    for (const body of ['<html>', '', 'null', '[]', { detail: [{ loc: [] }] }])
      assert.equal(said(body), '400');
  });
});
