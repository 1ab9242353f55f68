import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readConfig } from './config.ts';
import { SECRET_SETTINGS } from './secret-settings.ts';

const PLACE = { QUARRY_PUBLIC_URL: 'https://quarry.example.com' };
const mail = (QUARRY_SMTP_URL: string, QUARRY_MAIL_FROM = 'quarry@example.com') =>
  readConfig({ ...PLACE, QUARRY_SMTP_URL, QUARRY_MAIL_FROM }).mail;

describe('settings of mail', () => {
  it('[MEM-12] name a server with its port, user and password, and the sender', () => {
    assert.equal(readConfig({}).mail, null);
    assert.equal(readConfig({ QUARRY_SMTP_URL: ' ', QUARRY_MAIL_FROM: '' }).mail, null);
    assert.deepEqual(
      mail('smtp://me%40example.com:p%25a%2Fs@mail.example.com', '"Quarry" <quarry@example.com>'),
      {
        ...{ host: 'mail.example.com', port: 587, isTls: false, needsTls: true },
        login: { user: 'me@example.com', pass: 'p%a/s' },
        from: { name: 'Quarry', address: 'quarry@example.com' },
      },
    );
    assert.deepEqual(mail('smtps://[::1]/'), {
      ...{ host: '::1', port: 465, isTls: true, needsTls: false, login: null },
      from: { name: '', address: 'quarry@example.com' },
    });
  });

  it('[MEM-12] send a password over TLS, except on this machine', () => {
    assert.equal(mail('smtp://a:b@10.0.0.1:25')?.needsTls, true);
    for (const url of ['smtp://a:b@localhost:25', 'smtp://a:b@127.0.0.1', 'smtp://10.0.0.1:25'])
      assert.equal(mail(url)?.needsTls, false, url);
  });

  it('[MEM-12] of another form stop the start, and the error does not repeat them', () => {
    for (const url of [
      'mail.example.com',
      'https://mail.example.com',
      'smtp://',
      'smtp://hunter2@mail.example.com',
      'smtp://:hunter2@mail.example.com',
      'smtp://me:hunter2%@mail.example.com',
      'smtp://me:hunter2@mail.example.com/path',
      'smtp://me:hunter2@mail.example.com?secure=false',
      'smtp://me:hunter2@mail.example.com:99999',
    ])
      assert.throws(
        () => mail(url),
        ({ message }: Error) =>
          message.startsWith('QUARRY_SMTP_URL: use smtp://user') && !message.includes('hunter2'),
        url,
      );
    for (const from of ['quarry', 'a@b.example, c@d.example', 'Quarry <x>', 'A\nB <a@b.example>'])
      assert.throws(() => mail('smtp://h', from), /^Error: QUARRY_MAIL_FROM: use the form/, from);
    assert.ok(SECRET_SETTINGS.has('QUARRY_SMTP_URL'));
  });

  it('[MEM-12] belong together, and need the public address', () => {
    const url = { QUARRY_SMTP_URL: 'smtp://h' };
    const from = { QUARRY_MAIL_FROM: 'a@b.example' };
    assert.throws(
      () => readConfig({ ...PLACE, ...url }),
      /^Error: QUARRY_SMTP_URL needs QUARRY_MAIL/,
    );
    assert.throws(() => readConfig(from), /^Error: QUARRY_MAIL_FROM has no effect without/);
    assert.throws(() => readConfig({ ...url, ...from }), /needs QUARRY_PUBLIC_URL: the address at/);
  });
});
