/** Tests which messages the configuration of a connection wants. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AnsweredMessage } from './answer.ts';
import { concerns, GmailConfig, isWanted, rulesOf, withSpamAndTrash } from './config.ts';

const NAMES = {
  INBOX: 'INBOX',
  SPAM: 'SPAM',
  TRASH: 'TRASH',
  Label_1: 'Work/Plans',
  Label_2: 'old',
};
const rules = (config: object) => rulesOf(GmailConfig.parse(config), NAMES);
const message = (labelIds: string[], at = 1_700_000_000_000): AnsweredMessage => ({
  id: 'm',
  threadId: 't',
  labelIds,
  internalDate: at,
});

describe('the configuration of gmail', () => {
  it('leaves out spam, trash and drafts unless it says something else', () => {
    const usual = rules({});
    for (const [labels, wanted] of [
      [[], true],
      [['INBOX'], true],
      [['SPAM'], false],
      [['DRAFT'], false],
      [['TRASH', 'Label_1'], false],
    ] as const)
      assert.equal(isWanted(message([...labels]), usual), wanted, String(labels));
    assert.equal(withSpamAndTrash(usual), false);
    assert.equal(withSpamAndTrash(rules({ excluded_labels: ['spam'] })), true);
    assert.ok(isWanted(message(['SPAM']), rules({ excluded_labels: [] })));
  });

  it('names labels by their names in any case, or by their ids', () => {
    for (const label of ['work/plans', 'Label_1'])
      assert.deepEqual(rules({ included_labels: [label] }).included, ['Label_1']);
    assert.deepEqual(rules({ included_labels: ['starred', 'Drafts'] }).included, [
      'STARRED',
      'DRAFT',
    ]);
    const some = rules({ included_labels: ['inbox', 'nowhere'], excluded_labels: ['OLD', 'gone'] });
    assert.deepEqual(some.unknown, ['nowhere', 'gone']);
    assert.ok(isWanted(message(['INBOX']), some));
    assert.ok(!isWanted(message(['INBOX', 'Label_2']), some));
    assert.ok(!isWanted(message(['Label_1']), some));
    // A label that does not exist must not stand for all messages.
    assert.ok(!isWanted(message(['INBOX']), rules({ included_labels: ['nowhere'] })));
  });

  it('leaves out categories, and what arrived before a day', () => {
    const { excluded } = rules({ excluded_categories: ['promotions', 'primary'] });
    assert.deepEqual(excluded, [
      'SPAM',
      'TRASH',
      'DRAFT',
      'CATEGORY_PROMOTIONS',
      'CATEGORY_PERSONAL',
    ]);
    const since = rules({ after_date: '2025/03/01' });
    const start = Date.parse('2025-03-01T00:00:00Z');
    assert.ok(isWanted(message([], start), since));
    assert.ok(!isWanted(message([], start - 1), since));
    for (const day of ['2025-02-30', '2025-13-01', '1.3.2025', '2025-3-1'])
      assert.equal(GmailConfig.safeParse({ after_date: day }).success, false, day);
  });

  it('is not concerned by the mark of unread messages, unless it names this mark', () => {
    assert.equal(concerns('UNREAD', rules({})), false);
    assert.equal(concerns('Label_1', rules({})), true);
    assert.equal(concerns('UNREAD', rules({ excluded_labels: ['unread'] })), true);
    assert.equal(concerns('UNREAD', rules({ included_labels: ['unread'] })), true);
  });
});
