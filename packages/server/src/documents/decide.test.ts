import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decide } from './decide.ts';

const MB = 1024 * 1024;
const decided = (name: string, size: number, beginning: string) =>
  decide({ name, size, head: Buffer.from(beginning, 'latin1') });

describe('a file of which only the beginning says its kind', () => {
  it('may be as large as the files of this kind', () => {
    assert.deepEqual(decided('scan', 100 * MB, '%PDF-1.7'), { kind: 'pdf' });
    const mailbox = 'From a@b Mon Mar  3 10:00:00 2025\nMessage-ID: <7@a>\nReceived: b\n';
    assert.deepEqual(decided('Inbox', 30 * MB, mailbox), { kind: 'mbox' });
    assert.deepEqual(decided('orders.xml', 50 * MB, '<orders><order id="1"/>'), { kind: 'xml' });
  });

  it('is left out when it is larger', () => {
    const tooLarge = (detail: string) => ({ reason: 'too large', detail });
    assert.deepEqual(
      decided('orders.xml', 51 * MB, '<orders><order id="1"/>'),
      tooLarge('51.0 MB, more than 50 MB'),
    );
    assert.deepEqual(decided('a.log', 30 * MB, 'x'), tooLarge('30.0 MB, more than 20 MB'));
    assert.deepEqual(decided('scan', 101 * MB, '%PDF'), tooLarge('101.0 MB, more than 100 MB'));
  });
});
