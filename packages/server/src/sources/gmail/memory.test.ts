/** Tests what is remembered of a mailbox, and what its history tells. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HistoryPage } from './answer.ts';
import { changesIn } from './changes.ts';
import { GmailConfig, rulesOf } from './config.ts';
import { type KnownMail, pack, unpack } from './memory.ts';

describe('the memory of a mailbox', () => {
  it('is the same after it was stored', async () => {
    const known: KnownMail = new Map([
      ['18c', []],
      ['18d', ['0.1', '2']],
      ['18e', null],
      ['18f', ['']],
    ]);
    assert.deepEqual(await unpack(await pack(known)), known);
    assert.deepEqual(await unpack(await pack(new Map())), new Map());
  });

  it('has about 8 bytes for each message', async () => {
    // Ids of Gmail grow with the time.
    const ids = Array.from({ length: 20_000 }, (_, i) =>
      (0x18c0000000000000n + BigInt(i) * 0x5f3759df1n + BigInt((i * 7919) % 65_521)).toString(16),
    );
    const packed = await pack(new Map(ids.map((id) => [id, []])));
    assert.ok(packed.length < 10 * ids.length, `${packed.length / ids.length} bytes`);
  });
});

describe('the history of a mailbox', () => {
  const rules = rulesOf(GmailConfig.parse({}), {});
  const changes = (history: object[]) =>
    changesIn(HistoryPage.parse({ historyId: '9', history }).history, rules);
  const of = (id: string, labelIds?: string[]) => [
    { message: { id }, ...(labelIds && { labelIds }) },
  ];

  it('tells what is new, what has other labels, and what is gone', () => {
    const found = changes([
      { id: '1', messagesAdded: of('a') },
      { id: '2', labelsAdded: of('b', ['STARRED']) },
      { id: '3', labelsRemoved: of('c', ['UNREAD', 'INBOX']) },
      { id: '4', messagesDeleted: of('d') },
      { id: '5', messages: [{ id: 'e' }] },
    ]);
    assert.deepEqual([...found.changed], ['a', 'b', 'c']);
    assert.deepEqual([[...found.gone], found.hasShifted], [['d'], true]);
  });

  it('tells nothing when a message was only read, and no move of others when one was added', () => {
    const found = changes([
      { id: '1', labelsRemoved: of('a', ['UNREAD']) },
      { id: '2', messagesAdded: of('b') },
    ]);
    assert.deepEqual([[...found.changed], found.hasShifted], [['b'], false]);
  });

  it('does not ask for a message that is gone by now', () => {
    const found = changes([
      { id: '1', messagesAdded: of('a') },
      { id: '2', labelsAdded: of('a', ['TRASH']) },
      { id: '3', messagesDeleted: of('a') },
    ]);
    assert.deepEqual([[...found.changed], [...found.gone]], [[], ['a']]);
    assert.deepEqual(HistoryPage.parse({ historyId: '9' }).history, []);
  });
});
