import assert from 'node:assert/strict';
import { it } from 'node:test';
import { forbidden, notFound, quotaExceeded, unauthorized, unavailable } from '../errors.ts';
import { CODES, refusalOf } from './refusal.ts';

it('an error of the API becomes a refusal with its status and message, and a JSON-RPC code', () => {
  for (const [error, status, code] of [
    [unauthorized('who?'), 401, CODES.authentication],
    [forbidden('no'), 403, CODES.invalidRequest],
    [notFound('collection', 'x'), 404, CODES.invalidRequest],
    [quotaExceeded('later', 9), 429, CODES.invalidRequest],
    [unavailable('later', 5), 503, CODES.internal],
  ] as const) {
    const refusal = refusalOf(error);
    assert.deepEqual([refusal.status, refusal.code], [status, code]);
    assert.equal(refusal.retryAfter, error.retryAfter);
    assert.equal(refusal.message, error.message);
  }
});
