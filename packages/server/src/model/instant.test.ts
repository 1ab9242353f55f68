import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { instantOf } from './instant.ts';

describe('instantOf', () => {
  const zone = process.env.TZ;
  before(() => {
    process.env.TZ = 'America/New_York';
    assert.notEqual(new Date(0).getTimezoneOffset(), 0);
  });
  after(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });

  it('[FIL-03] reads a time without an offset as UTC, whatever the time zone of the process is', () => {
    const at = Date.UTC(2024, 4, 6, 7, 8);
    for (const text of [
      '2024-05-06T07:08',
      '2024-05-06 07:08:00.000',
      '2024-05-06T07:08Z',
      '2024-05-06T09:08+02:00',
      '2024-05-06 02:38:00-0430',
    ])
      assert.equal(instantOf(text), at, text);
    assert.equal(instantOf('2024-05-06'), Date.UTC(2024, 4, 6));
  });

  it('[FIL-03] is undefined for other texts', () => {
    for (const text of ['', '2024', '2024-02-30', '2023-02-29', '2024-05-06T24:00', '0000-01-01'])
      assert.equal(instantOf(text), undefined, text);
  });
});
