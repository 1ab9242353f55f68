/** Tests the names that are made of what senders have chosen. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { attachmentName } from './names.ts';

describe('the name of an attachment', () => {
  it('can be stored, also when the sender has cut a character in half', () => {
    const name = attachmentName({ name: 'pl\ud82ean.html', mediaType: 'text/html' }, 1);
    assert.equal(name, 'pl\ufffdan.html');
  });
});
