/** Runs the suite that every source passes for the imap source on a real Dovecot. */
import { describe } from 'node:test';
import { imap } from '../../sources/catalog/imap.ts';
import { needsDovecot, startDovecot } from '../dovecot-server.ts';
import { testSource } from './harness.ts';
import { attached, multipart, openAccount, plain } from './imap-account.ts';

describe('on Dovecot', needsDovecot, () => {
  testSource(imap, async () => {
    const server = await startDovecot();
    const account = await openAccount(server);
    await account.create('Work/Projects');
    for (let i = 0; i < 250; i++) await account.append('INBOX', { subject: `Note ${i}` });
    await account.append('Work/Projects', {
      subject: 'Plan',
      body: multipart('mixed', [plain('The plan.'), attached('plan.txt', 'All of it.')]),
    });
    // A copy is the same message.
    await account.copy('INBOX', '1:3', 'Work/Projects');
    const { credentials } = account;
    return {
      credentials,
      wrong: [
        {
          name: 'password',
          credentials: { ...credentials, password: 'not-this-one' },
          kind: 'auth',
          says: /^127\.0\.0\.1:\d+ answered: Authentication failed\.$/,
        },
        {
          name: 'port',
          credentials: { ...credentials, port: 1 },
          kind: 'transient',
          says: /^127\.0\.0\.1:1 cannot be reached: ECONNREFUSED$/,
        },
        {
          name: 'security that the server does not have',
          credentials: { ...credentials, security: 'starttls' },
          kind: 'config',
          says: /offers no STARTTLS/,
        },
        {
          name: 'TLS where the server speaks none',
          credentials: { ...credentials, security: 'tls' },
          kind: 'config',
          says: /speaks no TLS/,
        },
        {
          name: 'a server elsewhere without encryption',
          credentials: { ...credentials, host: '192.0.2.1' },
          kind: 'config',
          says: /may not be sent to it without encryption/,
        },
        {
          name: 'folder',
          config: { folders: ['INBOX', 'Nowhere'] },
          kind: 'config',
          says: /^the account has no folder Nowhere$/,
        },
      ],
      async close() {
        await account.close();
        await server.stop();
      },
    };
  });
});
