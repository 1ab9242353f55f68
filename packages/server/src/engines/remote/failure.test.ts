import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { scrubbed, statusFailure } from './failure.ts';

const failureOf = (status: number, text = '', headers: Record<string, string> = {}) =>
  statusFailure({ status, text, headers: new Headers(headers) }, undefined);

describe('the failure of a model', () => {
  it('has the wait that the server asks for in seconds, in milliseconds or as a date', () => {
    const after = (headers: Record<string, string>) => failureOf(429, '', headers).retryAfter;
    assert.equal(after({ 'retry-after': '2' }), 2000);
    assert.equal(after({ 'retry-after-ms': '70', 'retry-after': '2' }), 70);
    const dates = {
      'retry-after': 'Thu, 01 Jan 2026 12:00:30 GMT',
      date: 'Thu, 01 Jan 2026 12:00:00 GMT',
    };
    assert.equal(after(dates), 30_000);
    for (const headers of [{}, { 'retry-after': 'soon' }, { 'retry-after-ms': '-1' }])
      assert.equal(after(headers), undefined);
  });

  it('has a message of one short line without keys or parts of keys', () => {
    assert.equal(scrubbed('no\n  such key: my-key.', 'my-key'), 'no such key: ***.');
    assert.equal(
      scrubbed('Incorrect API key: sk-proj-ab****wxyz', 'other'),
      'Incorrect API key: ***',
    );
    assert.equal(scrubbed('a'.repeat(500), undefined).length, 201);
    assert.equal(scrubbed('the key-value store', undefined), 'the key-value store');
  });

  it('has a kind that the status determines', () => {
    const kindOf = (status: number) => failureOf(status).kind;
    assert.deepEqual([400, 401, 403, 404, 413, 422, 307].map(kindOf), Array(7).fill('refused'));
    assert.deepEqual([408, 500, 502, 503, 504, 529].map(kindOf), Array(6).fill('broken'));
    assert.equal(kindOf(429), 'limited');
  });

  it('has the message of the body in every form that servers use', () => {
    const said = (body: unknown) =>
      failureOf(400, typeof body === 'string' ? body : JSON.stringify(body)).message;
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
