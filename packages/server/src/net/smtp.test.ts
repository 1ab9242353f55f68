import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { after, describe, it } from 'node:test';
import tls from 'node:tls';
import { freePort } from '../test/free-port.ts';
import { LOGIN, openSmtp, type TestSmtp } from '../test/smtp-server.ts';
import { createSmtp, type MailFailure, type SmtpServer } from './smtp.ts';

const MAIL = { to: 'ann@example.com', subject: 'A weir', text: 'It opens.', html: '<p>It opens.' };

describe('a mail server', () => {
  const authorities = tls.getCACertificates('default');
  const opened: TestSmtp[] = [];
  after(async () => {
    tls.setDefaultCACertificates(authorities);
    await Promise.all(opened.map((one) => one.close()));
  });
  async function open(...how: Parameters<typeof openSmtp>) {
    const smtp = await openSmtp(...how);
    opened.push(smtp);
    tls.setDefaultCACertificates([...authorities, smtp.certificate]);
    return smtp;
  }
  /** Returns the fault, the status and the message of the mail that failed. */
  const failed = async (settings: SmtpServer, timeoutMs = 5000) => {
    const sent = createSmtp(settings, { timeoutMs })(MAIL);
    const { fault, status, message } = await sent.then(
      () => assert.fail('it was sent'),
      (error: MailFailure) => error,
    );
    return [fault, status, message] as const;
  };

  it('[MEM-12] gets mails over TLS from the beginning, over STARTTLS, or without', async () => {
    for (const how of ['always', 'offered', 'none'] as const) {
      const smtp = await open({ tls: how });
      await createSmtp(smtp.settings)(MAIL);
      const [taken] = smtp.mails;
      assert.deepEqual([taken?.isSecure, taken?.mail.text], [how !== 'none', 'It opens.\n'], how);
    }
  });

  it('[MEM-12] gets no password without TLS where TLS is needed', async () => {
    const smtp = await open({ tls: 'none' });
    const [fault] = await failed({ ...smtp.settings, needsTls: true });
    assert.deepEqual([fault, smtp.logins, smtp.mails], ['not_secure', [], []]);
  });

  it('[MEM-12] gets nothing when it does not prove its name', async () => {
    for (const how of ['always', 'offered'] as const) {
      const smtp = await open({ tls: how });
      tls.setDefaultCACertificates(authorities);
      const [fault] = await failed(smtp.settings);
      assert.deepEqual([fault, smtp.logins, smtp.mails], ['not_secure', [], []], how);
    }
    const plain = await open({ tls: 'none' });
    assert.equal((await failed({ ...plain.settings, isTls: true }))[0], 'not_secure');
  });

  it('[MEM-12] refuses a wrong password, which no message repeats', async () => {
    const smtp = await open();
    const login = { user: LOGIN.user, pass: 'wrong-pass' };
    const [fault, status, message] = await failed({ ...smtp.settings, login });
    assert.deepEqual([fault, status, smtp.logins], ['login_refused', 535, [LOGIN.user]]);
    assert.doesNotMatch(message, /wrong-pass|post@/);
  });

  it('[MEM-12] gets no mail without a password when one is set', async () => {
    const smtp = await open();
    assert.equal((await failed({ ...smtp.settings, login: null }))[0], 'sender_refused');
  });

  it('[MEM-12] is given up after a time, also when it always goes on to answer', async () => {
    const slow = createServer((socket) => {
      socket.on('error', () => {
        // The client breaks off.
      });
      socket.write('220 slow\r\n');
      socket.on('data', (line: Buffer) => {
        if (!line.toString().startsWith('MAIL')) return void socket.write('250 yes\r\n');
        const timer = setInterval(() => socket.write('250-and\r\n'), 50);
        socket.once('close', () => clearInterval(timer));
      });
    });
    slow.listen(0, '127.0.0.1');
    await once(slow, 'listening');
    const { settings } = await open();
    const { port } = slow.address() as AddressInfo;
    assert.equal((await failed({ ...settings, port, login: null }, 1000))[0], 'late');
    slow.close();
    await once(slow, 'close');
  });

  it('[MEM-12] cannot be reached at a closed port or an unknown name', async () => {
    const { settings } = await open();
    const port = await freePort();
    assert.equal((await failed({ ...settings, port }))[0], 'unreachable');
    assert.equal((await failed({ ...settings, host: 'mail.invalid' }))[0], 'unreachable');
  });
});
