import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { retryAfterOfLimits } from './limits.ts';

const now = Date.parse('2026-03-04T05:06:07Z');
const after = (headers: Record<string, string>) => retryAfterOfLimits(new Headers(headers), now);
const in40s = `${now / 1000 + 40}`;

describe('the limits of GitHub', () => {
  it('give the time of their reset when no request is left', () => {
    assert.equal(after({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': in40s }), 40);
    assert.equal(after({ 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': in40s }), undefined);
    assert.equal(after({}), undefined);
    assert.equal(after({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': 'soon' }), undefined);
    assert.equal(after({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' }), 0);
  });

  it('are measured by the clock of GitHub', () => {
    const date = new Date(now + 30_000).toUTCString();
    const limits = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': in40s };
    assert.equal(after({ ...limits, date }), 10);
  });
});
