/** Invitations are mailed through a real mail server, which also misbehaves. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import tls from 'node:tls';
import pino from 'pino';
import { createSmtp } from '../../net/smtp.ts';
import { must, newId } from '../../util.ts';
import { openTestQuarry } from '../app/quarry.ts';
import { DATABASES } from '../databases.ts';
import { LOGIN, openSmtp, type SmtpFault, type TestSmtp } from '../smtp-server.ts';
import { until } from '../until.ts';
import { openTestApi, type TestApi } from './harness.ts';

const PASSWORD = 'a password of nine words is long enough here';
const PATIENCE_MS = 1500;
const HOUR = 3_600_000;

for (const database of DATABASES)
  describe(`invitations by mail on ${database.name}`, () => {
    let api: TestApi;
    let smtp: TestSmtp;
    let made = 0;
    let email: string;
    const logged: string[] = [];
    const authorities = tls.getCACertificates('default');
    before(async () => {
      smtp = await openSmtp();
      tls.setDefaultCACertificates([...authorities, smtp.certificate]);
      api = await openTestApi(await database.open(), {
        sendMail: createSmtp(smtp.settings, { timeoutMs: PATIENCE_MS }),
        log: pino({ level: 'debug' }, { write: (line: string) => logged.push(line) }),
      });
    });
    after(async () => {
      await api.close();
      await smtp.close();
      tls.setDefaultCACertificates(authorities);
    });
    beforeEach(() => {
      email = `person-${made++}@example.com`;
      smtp.fault = null;
      smtp.mails.length = 0;
      logged.length = 0;
    });

    async function invite(key?: string) {
      const body = { email, role: 'member' };
      const answer = await api.call('POST', '/v1/members', { body, ...(key && { key }) });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body;
    }
    const join = (url: string) =>
      api.call('POST', '/v1/auth/accept', {
        key: null,
        body: { token: must(url.split('#token=')[1]), password: PASSWORD },
      });

    it('[MEM-12] the person gets the link, who invites, into which organization, and until when', async () => {
      const { key, email: inviter } = await api.stranger();
      const name = 'Weir keepers';
      const [organization] = (await api.call('GET', '/v1/organizations', { key })).body;
      await api.call('PATCH', `/v1/organizations/${organization.id}`, { key, body: { name } });
      const { invitation_url, expires_at, mail } = await invite(key);
      assert.deepEqual(mail, { status: 'sent', code: null, detail: null });
      const [{ from, to, isSecure, mail: got }] = smtp.mails as [(typeof smtp.mails)[number]];
      assert.deepEqual([from, to, isSecure], ['quarry@example.com', [email], true]);
      assert.deepEqual(got.from, { name: 'Quarry', address: 'quarry@example.com' });
      assert.deepEqual(got.to, [{ name: '', address: email }]);
      assert.equal(got.subject, 'Invitation to “Weir keepers” in Quarry');
      const until = new Intl.DateTimeFormat('en-GB', {
        ...{ dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' },
      }).format(Date.parse(expires_at));
      for (const part of [got.text, got.html]) {
        assert.match(part ?? '', new RegExp(`${inviter}.* invites you to the organization`));
        for (const expected of [name, invitation_url, `until ${until} UTC`])
          assert.ok(part?.includes(expected), `${expected} is not in ${part}`);
      }
      const header = got.headers.find((one) => one.key === 'auto-submitted');
      assert.equal(header?.value, 'auto-generated');
      const [link = ''] = /http:\S+/.exec(got.text ?? '') ?? [];
      assert.equal((await join(link)).body.user.email, email);
      assert.equal((await join(link)).status, 404, 'it works once');
    });

    it('[MEM-12] the account of a fresh installation is not named by its address', async () => {
      await invite();
      const text = must(smtp.mails[0]).mail.text ?? '';
      assert.match(text, /^An administrator invites you/);
      assert.ok(!text.includes('localhost invites') && !text.includes('owner@'));
    });

    it('[MEM-12] names are neither markup nor headers, and do not turn the text around', async () => {
      const { key, userId } = await api.stranger();
      const [organization] = (await api.call('GET', '/v1/organizations', { key })).body;
      const evil =
        '<img src=x onerror=alert(1)>&amp;"\r\nBcc: eve@example.com\u2028\u202Ehello\u2066\u200F\u061C';
      await api.db.updateTable('users').set({ name: evil }).where('id', '=', userId).execute();
      await api.call('PATCH', `/v1/organizations/${organization.id}`, {
        ...{ key, body: { name: evil } },
      });
      await invite(key);
      const [{ to, raw, mail: got }] = smtp.mails as [(typeof smtp.mails)[number]];
      assert.deepEqual([to, got.bcc, got.cc], [[email], undefined, undefined]);
      assert.doesNotMatch(raw.split('\r\n\r\n')[0] ?? '', /^bcc/im);
      assert.doesNotMatch(got.html ?? '', /<img|&amp;amp;amp/);
      assert.ok(got.html?.includes('&lt;img src=x onerror=alert(1)&gt;&amp;amp;&quot; Bcc: eve'));
      const all = `${got.subject}${got.text}${got.html}`;
      assert.doesNotMatch(all, /\p{Bidi_Control}|\u2028/u);
      assert.equal(got.text?.split('\n')[0]?.match(/Bcc: eve/g)?.length, 2, 'they are in one line');
    });

    const faults: Readonly<Record<SmtpFault, readonly [code: string, detail: RegExp]>> = {
      hangs: ['late', /^the mail server did not answer in time: hand the link on yourself$/],
      'hangs after the greeting': ['late', /did not answer in time/],
      'cuts at once': ['broken', /broke off, so the mail may not arrive/],
      'cuts within the mail': ['broken', /broke off, so the mail may not arrive/],
      'refuses the sender': [
        'sender_refused',
        /the sender that the operator has set \(its answer is 553\)/,
      ],
      'refuses the person': [
        'recipient_refused',
        /the address person-\d+@example\.com \(its answer is 550\)/,
      ],
      'refuses the mail': ['refused', /refuses the mail \(its answer is 554\)/],
      'is full': ['refused', /refuses the mail \(its answer is 421\)/],
    };
    for (const [fault, [code, detail]] of Object.entries(faults))
      it(`[MEM-12] a mail server that ${fault} is named in the answer, and the link works`, async () => {
        smtp.fault = fault as SmtpFault;
        const { mail, invitation_url, status } = await invite();
        assert.deepEqual([mail.status, mail.code, status], ['failed', code, 'invited']);
        assert.match(mail.detail, detail);
        assert.match(mail.detail, /: hand the link on yourself$/);
        assert.deepEqual(smtp.mails, []);
        assert.ok(logged.some((line) => line.includes('an invitation was not mailed')));
        assert.ok(!logged.join('').includes(invitation_url.split('=')[1]));
        assert.equal((await join(invitation_url)).status, 200);
        // No connection is left.
        await until(async () => smtp.open() === 0);
      });

    it('[MEM-12] a second invitation after a failed mail is mailed, and ends the first link', async () => {
      smtp.fault = 'refuses the mail';
      const first = await invite();
      smtp.fault = null;
      const second = await invite();
      assert.equal(second.mail.status, 'sent');
      assert.equal((await join(first.invitation_url)).status, 404);
      assert.equal((await join(second.invitation_url)).status, 200);
    });

    it('[MEM-12] nobody is mailed who is a member already', async () => {
      await join((await invite()).invitation_url);
      const again = await api.call('POST', '/v1/members', { body: { email, role: 'admin' } });
      assert.deepEqual([again.status, smtp.mails.length], [409, 1]);
    });

    const makeOlder = (ms: number) =>
      api.db
        .updateTable('audit_events')
        .set((eb) => ({ created_at: eb('created_at', '-', ms) }))
        .execute();
    const LIMITED = {
      status: 'failed',
      code: 'limited',
      detail:
        'too many invitations to this address, or of this organization, were made within an hour: hand the link on yourself',
    };

    it('[MEM-12] an address gets five mails in an hour, from all organizations together', async () => {
      const other = await api.stranger();
      for (let i = 0; i < 5; i++)
        assert.equal((await invite(i % 2 ? other.key : api.adminKey)).mail.status, 'sent');
      for (const key of [api.adminKey, other.key]) {
        const { mail, status, invitation_url } = await invite(key);
        assert.deepEqual([mail, status, smtp.mails.length], [LIMITED, 'invited', 5]);
        assert.equal(
          (await join(invitation_url)).status,
          200,
          'the person is invited all the same',
        );
      }
      email = `person-${made++}@example.com`;
      assert.equal((await invite()).mail.status, 'sent');
      await makeOlder(HOUR);
      for (let i = 0; i < 5; i++) assert.equal((await invite()).mail.status, 'sent');
      assert.equal((await invite()).mail.code, 'limited');
    });

    it('[MEM-12] an organization sends a hundred mails in an hour', async () => {
      const { key } = await api.stranger();
      const { id } = await invite(key);
      const act = await api.db
        .selectFrom('audit_events')
        .selectAll()
        .where('target_id', '=', id)
        .executeTakeFirstOrThrow();
      const details = JSON.stringify(act.details);
      const more = Array.from({ length: 98 }, (_, i) => {
        const target_name = `crowd-${i}@example.com`;
        return { ...act, id: newId(), target_name, details };
      });
      await api.db.insertInto('audit_events').values(more).execute();
      const [hundredth, next] = ['hundredth@example.com', 'next@example.com'];
      email = hundredth;
      assert.equal((await invite(key)).mail.status, 'sent');
      email = next;
      assert.deepEqual((await invite(key)).mail, LIMITED);
      assert.equal((await invite()).mail.status, 'sent', 'another organization may');
      await makeOlder(HOUR);
      assert.equal((await invite(key)).mail.status, 'sent');
    });

    it('[MEM-12] the password of the mail server is in no log and no answer', async () => {
      const answer = JSON.stringify(await invite());
      for (const secret of [LOGIN.pass, encodeURIComponent(LOGIN.pass), LOGIN.user])
        assert.ok(!`${answer}${logged.join('')}`.includes(secret));
    });
  });

it('[MEM-12] the settings of the operator name the mail server and the sender', async () => {
  const smtp = await openSmtp({ tls: 'none' });
  const quarry = await openTestQuarry(await must(DATABASES[0]).open(), {
    env: {
      QUARRY_SMTP_URL: smtp.url,
      QUARRY_MAIL_FROM: 'The weir <weir@example.com>',
      QUARRY_PUBLIC_URL: 'https://quarry.example.com',
    },
  });
  const { mail } = await quarry.ok('POST', '/v1/members', { email: 'a@example.com', role: 'read' });
  assert.equal(mail.status, 'sent');
  const { from, text } = must(smtp.mails[0]).mail;
  assert.deepEqual(from, { name: 'The weir', address: 'weir@example.com' });
  assert.match(text ?? '', /\nhttps:\/\/quarry\.example\.com\/accept#token=[\w-]{43}\n/);
  await quarry.close();
  await smtp.close();
});
