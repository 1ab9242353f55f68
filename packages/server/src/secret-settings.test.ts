import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { readConfig } from './config.ts';
import { fileSettingOf, SECRET_SETTINGS } from './secret-settings.ts';

const KEY = `quarry_${'a'.repeat(43)}`;

describe('a secret in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quarry-secrets-'));
  after(() => rmSync(folder, { recursive: true }));
  let files = 0;
  const fileWith = (content: string | Buffer): string => {
    const path = join(folder, String(files++));
    writeFileSync(path, content);
    return path;
  };
  const faultOf = (env: Record<string, string>): string => {
    try {
      readConfig(env);
    } catch (error) {
      return (error as Error).message;
    }
    return assert.fail('the settings were accepted');
  };

  const EXAMPLES: Readonly<Record<string, string>> = {
    QUARRY_API_KEY: KEY,
    DATABASE_URL: 'postgres://u:p@localhost/d',
    DATABASE_DIRECT_URL: 'postgres://u:p@localhost/d',
    QUARRY_SMTP_URL: 'smtp://mail.example.com',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=secret',
  };
  const OTHERS = {
    DATABASE_DIRECT_URL: { DATABASE_URL: 'postgres://u:p@pooler/d' },
    QUARRY_SMTP_URL: { QUARRY_PUBLIC_URL: 'https://a.example', QUARRY_MAIL_FROM: 'q@a.example' },
    QUARRY_OAUTH_CLIENT_SECRET: {
      QUARRY_OAUTH_ISSUER: 'https://issuer.example',
      QUARRY_OAUTH_CLIENT_ID: 'quarry',
    },
  };
  for (const name of SECRET_SETTINGS)
    it(`${name} is read from the file that ${name}_FILE names`, () => {
      const secret = EXAMPLES[name] ?? 's'.repeat(40);
      const others = OTHERS[name as keyof typeof OTHERS];
      const config = readConfig({ ...others, [fileSettingOf(name)]: fileWith(`${secret}\n`) });
      assert.equal(config[name as keyof typeof config], secret);
    });

  it('loses one newline at its end, and nothing else', () => {
    const read = (content: string) =>
      readConfig({ QUARRY_ENCRYPTION_KEY_FILE: fileWith(content) }).QUARRY_ENCRYPTION_KEY;
    const secret = ` ${'ä'.repeat(40)} `;
    for (const end of ['', '\n', '\r\n']) assert.equal(read(`${secret}${end}`), secret);
    assert.throws(() => read(`${secret}\n\n`), /is not one line of text/);
    assert.throws(() => read(`${secret}\n${secret}`), /is not one line of text/);
  });

  it('is found through links, as Kubernetes mounts it', () => {
    mkdirSync(join(folder, '..data'));
    writeFileSync(join(folder, '..data/key'), KEY);
    symlinkSync('..data/key', join(folder, 'key'));
    assert.equal(readConfig({ QUARRY_API_KEY_FILE: join(folder, 'key') }).QUARRY_API_KEY, KEY);
  });

  it('decides as the setting itself does', () => {
    const file = fileWith('postgres://u:p@localhost/d');
    assert.equal(readConfig({ DATABASE_URL_FILE: file }).singleUser, false);
    assert.throws(
      () => readConfig({ QUARRY_API_KEY_FILE: fileWith('secret') }),
      /^Error: QUARRY_API_KEY: a key has the form/,
    );
  });

  it('beside the setting itself stops the start, unless one of them is empty', () => {
    const path = fileWith(KEY);
    assert.equal(
      faultOf({ QUARRY_API_KEY: KEY, QUARRY_API_KEY_FILE: path }),
      'QUARRY_API_KEY_FILE: QUARRY_API_KEY is set too, and both name the same secret: leave one of them out',
    );
    assert.equal(readConfig({ QUARRY_API_KEY: KEY, QUARRY_API_KEY_FILE: '' }).QUARRY_API_KEY, KEY);
    assert.equal(readConfig({ QUARRY_API_KEY: '', QUARRY_API_KEY_FILE: path }).QUARRY_API_KEY, KEY);
  });

  it('that cannot be used stops the start with a sentence that names the file and no content', () => {
    const large = fileWith('x'.repeat(64 * 1024 + 1));
    const cases: [path: string, sentence: string][] = [
      [join(folder, 'none'), 'does not exist: write the secret into it, or mount the secret there'],
      [folder, 'is not a file: name the file with the secret'],
      [large, 'has 65537 bytes, and a secret has at most 65536: name the file with the secret'],
      [fileWith(''), 'is empty: write the secret into it'],
      [fileWith('\n'), 'is empty: write the secret into it'],
      [
        fileWith(Buffer.from([0xff, 0x41])),
        'is not text in UTF-8: write the secret into it as text',
      ],
      [fileWith('hidden\0'), 'is not one line of text: write only the secret into it'],
      ['/dev/null', 'is not a file: name the file with the secret'],
    ];
    for (const [path, sentence] of cases)
      assert.equal(
        faultOf({ OPENAI_API_KEY_FILE: path }),
        `OPENAI_API_KEY_FILE: ${path} ${sentence}`,
      );
    const both = faultOf({ OPENAI_API_KEY_FILE: large, DATABASE_URL_FILE: folder });
    assert.deepEqual(
      both.split('\n').map((line) => line.split(':')[0]),
      ['DATABASE_URL_FILE', 'OPENAI_API_KEY_FILE'],
    );
  });

  it('does not wait for a pipe that nobody writes to', (t) => {
    if (process.platform === 'win32') return t.skip('Windows has no such pipes');
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    assert.match(faultOf({ OPENAI_API_KEY_FILE: pipe }), /is not a file/);
  });

  it('that its user may not read stops the start with the number of the user', (t) => {
    const { seteuid, geteuid } = process;
    if (!seteuid || !geteuid) return t.skip('this system has no numbers of users');
    const path = fileWith(KEY);
    chmodSync(folder, 0o755);
    chmodSync(path, 0);
    const before = geteuid();
    // The superuser may read every file.
    if (before === 0) seteuid(65534);
    try {
      assert.equal(
        faultOf({ QUARRY_API_KEY_FILE: path }),
        `QUARRY_API_KEY_FILE: ${path} may not be read by the user ${geteuid()}: give this user the right to read it and to enter its folders`,
      );
    } finally {
      seteuid(before);
    }
  });

  it('exists for secrets only', () =>
    assert.throws(
      () => readConfig({ QUARRY_PORT_FILE: '/run/port' }),
      /^Error: QUARRY_PORT_FILE: this setting does not exist/,
    ));
});
