/** Tests how the headers of messages are found. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { headerOf } from './headers.ts';

describe('the headers of a message', () => {
  it('are found in any case, the first one of a name', () => {
    const headers = [
      { name: 'SUBJECT', value: 'One' },
      { name: 'Subject', value: 'Two' },
    ];
    assert.equal(headerOf(headers, 'subject'), 'One');
    assert.equal(headerOf(headers, 'from'), undefined);
  });
});
