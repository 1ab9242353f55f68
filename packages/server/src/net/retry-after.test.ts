import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { retryAfterOf } from './retry-after.ts';

const NOW = Date.UTC(2026, 10, 21, 12, 0, 0);
const secondsOf = (retryAfter?: string, date?: string) =>
  retryAfterOf(
    new Headers({ ...(retryAfter && { 'retry-after': retryAfter }), ...(date && { date }) }),
    NOW,
  );

describe('Retry-After', () => {
  it('may be a number of seconds', () => {
    assert.equal(secondsOf('0'), 0);
    assert.equal(secondsOf(' 120 '), 120);
    assert.equal(secondsOf('1.5'), 1.5);
  });

  it('may be a date, which is compared with the Date header of the answer, or with the present when there is none', () => {
    const asked = 'Sat, 21 Nov 2026 10:00:30 GMT';
    assert.equal(secondsOf(asked, 'Sat, 21 Nov 2026 10:00:00 GMT'), 30);
    assert.equal(secondsOf('Sat, 21 Nov 2026 12:00:45 GMT'), 45);
  });

  it('may be a date in each of the three forms that HTTP allows', () => {
    const sent = 'Sat, 21 Nov 2026 10:00:00 GMT';
    for (const asked of [
      'Sat, 21 Nov 2026 10:00:05 GMT',
      'Saturday, 21-Nov-26 10:00:05 GMT',
      'Sat Nov 21 10:00:05 2026',
    ])
      assert.equal(secondsOf(asked, sent), 5, asked);
  });

  it('may be a date without a zone, which is read as GMT in every time zone of the process', () => {
    const { TZ } = process.env;
    process.env.TZ = 'America/New_York';
    try {
      assert.equal(secondsOf('Sat Nov 21 12:00:05 2026'), 5);
    } finally {
      if (TZ === undefined) delete process.env.TZ;
      else process.env.TZ = TZ;
    }
  });

  it('is 0 when the date has passed', () => {
    assert.equal(secondsOf('Sat, 21 Nov 2026 09:00:00 GMT', 'Sat, 21 Nov 2026 10:00:00 GMT'), 0);
  });

  it('is undefined when it is missing or has another form', () => {
    for (const text of [undefined, '', 'soon', '-5', '1e3', '5 minutes', 'Mayday'])
      assert.equal(secondsOf(text), undefined, text);
  });
});
