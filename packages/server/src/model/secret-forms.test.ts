import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { redactText } from '../transformers/redact/text.ts';
import { holdsKey, secretOf } from './secret-forms.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const pkcs1 = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
const sealed = privateKey
  .export({ type: 'pkcs1', format: 'pem', cipher: 'aes-128-cbc', passphrase: 'x' })
  .toString();
const sec1 = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ type: 'sec1', format: 'pem' })
  .toString();
const open = publicKey.export({ type: 'spki', format: 'pem' }).toString();
const inPgp = (kind: string) =>
  `-----BEGIN PGP ${kind} KEY BLOCK-----\nVersion: GnuPG v2\n\nlQOYBF2lnPIBCAC5${'x'.repeat(48)}\n=abcd\n-----END PGP ${kind} KEY BLOCK-----\n`;
const openssh =
  '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ\n-----END OPENSSH PRIVATE KEY-----\n';
const ssh2 =
  '---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: "a key"\nP2/56wAAAgIAAAAmZGwtbW9kcHtzaWdue2\n---- END SSH2 ENCRYPTED PRIVATE KEY ----\n';
const putty = 'PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPrivate-Lines: 1\nAAAA\n';
const certificate =
  '-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEbGzV\n-----END CERTIFICATE-----\n';

const PRIVATE = { pkcs8, pkcs1, sealed, sec1, pgp: inPgp('PRIVATE'), openssh, ssh2 };

const of = (length: number, alphabet = 'a1B2c3D4e5F6g7H8') =>
  alphabet.repeat(Math.ceil(length / alphabet.length)).slice(0, length);
const hex = (length: number) => of(length, '0123456789abcdef');
/** The keys are written in parts, so that a scanner for secrets does not find keys in this file. */
const key = (...parts: string[]) => parts.join('');
const PROVIDERS = [
  key('AK', 'IAIOSFODNN7EXAMPLE'),
  key('AI', 'za', of(35)),
  key('GOC', 'SPX-', of(28)),
  key('Account', 'Key=', of(86), '=='),
  key('gh', 'p_', of(36)),
  key('github', '_pat_', of(22), '_', of(59)),
  key('gl', 'pat-', of(20)),
  key('np', 'm_', of(36)),
  key('pypi', '-AgE', of(60)),
  key('sk', '-proj-', of(48)),
  key('sk', '-ant-api03-', of(90)),
  key('sk', '-', of(48)),
  key('h', 'f_', of(34)),
  key('sk', '_live_', of(24)),
  key('SG', '.', of(22), '.', of(43)),
  key('S', 'K', hex(32)),
  key('xo', 'xb-', '123456789012-', of(24)),
  key(
    'https://hooks',
    '.slack.com/services/T',
    of(9, '012ABC'),
    '/B',
    of(9, '012ABC'),
    '/',
    of(24),
  ),
  key('123456789', ':AA', of(33)),
  key('wh', 'sec_', of(32)),
  key('dop', '_v1_', hex(64)),
  key('shp', 'at_', hex(32)),
  key('hv', 's.', of(24)),
  key('AGE-SECRET', '-KEY-1', of(58, '0123ABCD')),
  key('quar', 'ry_', of(43)),
];

describe('secrets with a known form', () => {
  it('[CON-41] are keys of providers, anywhere in a text', () => {
    for (const one of PROVIDERS)
      for (const text of [
        one,
        `the key is ${one}.`,
        `KEY="${one}"`,
        `{"key":"${one}"}`,
        `(${one})`,
      ])
        assert.ok(holdsKey(text), text);
  });

  it('[CON-41] are keys of any length where the form has no fixed length, and only of that length where it has one', () => {
    const long = key('sk', '-proj-', of(600));
    assert.ok(holdsKey(long));
    assert.ok(!holdsKey(key('AK', 'IA', of(17, 'ABCD'))) && !holdsKey(key('S', 'K', hex(33))));
  });

  it('[CON-41] are private keys, as they are, in JSON or quoted', () => {
    for (const [name, pem] of Object.entries(PRIVATE)) {
      assert.ok(holdsKey(`Our key:\n\n${pem}\nKeep it.`), name);
      assert.ok(holdsKey(JSON.stringify({ private_key: pem })), `${name} in JSON`);
      assert.ok(holdsKey(pem.replaceAll(/^/gm, '> ')), `${name} quoted`);
    }
  });

  it('are all removed by redaction', () => {
    for (const one of [...PROVIDERS, ...Object.values(PRIVATE)])
      assert.ok(!holdsKey(redactText(`the key is ${one} and more`, ['secret'])), one);
  });

  it('are not other texts that look similar', () => {
    for (const text of [
      'skeleton keys, ghp_ and AKIA alone',
      'npm_config_user_agent and hf_hub_download_something_from_a_place',
      'a task-proj-with-a-very-long-slug-that-goes-on',
      'sk-learn and sk-some-long-hyphenated-slug-of-a-page',
      '0e1f7a52-6d3b-5c1e-8f27-0b6f3f6a1d01',
      'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      '-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----',
      'A file that begins with -----BEGIN RSA PRIVATE KEY----- is read by nobody-at-all.',
      'password: hunter2hunter2',
      open,
      certificate,
      inPgp('PUBLIC'),
    ])
      assert.ok(!holdsKey(text), text);
  });

  it('[CON-41] are searched for in linear time, even in a text that is made to be slow', () => {
    for (const part of [
      'sk-',
      '-----BEGIN ',
      '-----BEGIN PRIVATE KEY-----\n',
      'a: b\n',
      'aa: \n',
      'aa: \\n',
      'aa: \\"\\n',
      '-',
      '12345678:AA',
      '\\n"',
    ])
      assert.ok(!holdsKey(`-----BEGIN PRIVATE KEY-----${part.repeat(1_000_000 / part.length)}`));
  });
});

const isKeyFile = (text: string) => secretOf(text) === 'a private key';

describe('files that are secrets as a whole', () => {
  it('[CON-41] are files with only a private key, apart from certificates and comments', () => {
    for (const [name, pem] of Object.entries({ ...PRIVATE, putty })) {
      assert.ok(isKeyFile(pem), name);
      assert.ok(isKeyFile(`\n  \n${pem}\n`), name);
      assert.ok(isKeyFile(pem.slice(0, -30)), `${name}, of which the end is missing`);
    }
    assert.ok(isKeyFile(`# the key of the server\n${pkcs8}`));
    assert.ok(isKeyFile(certificate + pkcs8 + certificate));
    assert.ok(
      isKeyFile(
        `Bag Attributes\n    friendlyName: server\nKey Attributes: <No Attributes>\n${pkcs8}`,
      ),
    );
    assert.ok(
      isKeyFile(`# created: 2026\n# public key: age1x\nAGE-SECRET${'-KEY-1'}${of(58, '0ABC')}\n`),
    );
  });

  it('are not files that quote a key, nor public keys and certificates', () => {
    for (const text of [
      `Our key:\n${pkcs8}`,
      `${pkcs8}\nDo not lose it.`,
      open,
      certificate,
      inPgp('PUBLIC'),
      '',
      '# a',
    ]) {
      assert.equal(secretOf(text), null, text);
    }
  });

  it('[CON-41] are cookie files of browsers', () => {
    const cookies = '# Netscape HTTP Cookie File\n.example.org\tTRUE\t/\tTRUE\t0\tsession\tabc\n';
    assert.equal(secretOf(cookies), 'cookies of a browser');
    assert.equal(secretOf('# Cookies with chocolate\n'), null);
  });
});
