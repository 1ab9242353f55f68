import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { invitationWords, inviterName } from './invitation.ts';

const email = 'ann@example.com';
const invitation_url = 'https://quarry.example.com/join#token=a';

describe('the words about an invitation', () => {
  it('[MEM-12] say that the link was mailed', () => {
    const { tone, title, text } = invitationWords({
      ...{ email, invitation_url, mail: { status: 'sent', code: null, detail: null } },
    });
    assert.deepEqual([tone, title], ['ok', 'ann@example.com is invited']);
    assert.match(text, /^The link was mailed to this address\./);
  });

  it('[MEM-12] say why it was not mailed, and that the link is there', () => {
    const detail = 'the mail server cannot be reached: hand the link on yourself';
    assert.deepEqual(
      invitationWords({
        ...{ email, invitation_url, mail: { status: 'failed', code: 'unreachable', detail } },
      }),
      {
        tone: 'warn',
        title: 'ann@example.com is invited, but the link was not mailed',
        text: 'The mail server cannot be reached: hand the link on yourself. The link works once, and for seven days.',
      },
    );
  });

  it('[MEM-12] ask to send the link where nothing is mailed', () => {
    const { tone, text } = invitationWords({
      ...{
        email,
        invitation_url,
        mail: { status: 'off', code: null, detail: 'no mail server is set' },
      },
    });
    assert.equal(tone, 'ok');
    assert.match(
      text,
      /^Send this link to the person\. The link works once, and for seven days\.$/,
    );
  });

  it('[MEM-01] call the inviter by the name, else by the e-mail, and nobody by an address of this machine', () => {
    assert.equal(inviterName({ name: 'Ada', email }), 'Ada');
    assert.equal(inviterName({ name: null, email }), email);
    assert.equal(inviterName({ name: null, email: null }), 'An administrator');
    assert.equal(inviterName(null), undefined);
  });

  it('[MEM-12] warn of a link that opens only on the machine of Quarry', () => {
    const mail = { status: 'off', code: null, detail: 'no mail server is set' } as const;
    for (const host of ['localhost:8099', '127.0.0.1:8099', '[::1]:8099']) {
      const address = `http://${host}/join#token=a`;
      const { tone, text } = invitationWords({ email, mail, invitation_url: address });
      assert.equal(tone, 'warn');
      assert.match(text, /opens only on the machine that runs Quarry: set QUARRY_PUBLIC_URL/);
    }
  });
});
