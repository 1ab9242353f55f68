import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { invitationWords } from './invitation.ts';

const email = 'ann@example.com';

describe('the words about an invitation', () => {
  it('[MEM-12] say that the link was mailed', () => {
    const { tone, title, text } = invitationWords({
      ...{ email, mail: { status: 'sent', code: null, detail: null } },
    });
    assert.deepEqual([tone, title], ['ok', 'ann@example.com is invited']);
    assert.match(text, /^The link was mailed to this address\./);
  });

  it('[MEM-12] say why it was not mailed, and that the link is there', () => {
    const detail = 'the mail server cannot be reached: hand the link on yourself';
    assert.deepEqual(
      invitationWords({ email, mail: { status: 'failed', code: 'unreachable', detail } }),
      {
        tone: 'warn',
        title: 'ann@example.com is invited, but the link was not mailed',
        text: 'The mail server cannot be reached: hand the link on yourself. The link works once, and for seven days.',
      },
    );
  });

  it('[MEM-12] ask to send the link where nothing is mailed', () => {
    const { tone, text } = invitationWords({
      ...{ email, mail: { status: 'off', code: null, detail: 'no mail server is set' } },
    });
    assert.equal(tone, 'ok');
    assert.match(text, /^Send this link to the person\./);
  });
});
