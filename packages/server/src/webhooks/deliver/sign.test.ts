/** These tests verify signatures with the libraries that receivers use. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { makeSecret, toSecret } from '../secret.ts';
import { signedHeaders } from './sign.ts';

type Verifier = (body: string, headers: Record<string, string>) => unknown;
const LIBRARIES: readonly [name: string, open: (secret: string) => Verifier][] = [
  ['svix', (secret) => (body, headers) => new SvixWebhook(secret).verify(body, headers)],
  [
    'standardwebhooks',
    (secret) => (body, headers) =>
      new StandardWebhook(secret).verify(body, headers, { jsonParse: false }),
  ],
];
const BODIES = ['{}', '', '{"name":"Grüße 🎉 \\u0000"}', `{"text":"${'x'.repeat(1_000_000)}"}`];
const signed = (body: string, secrets: readonly string[], at = Date.now()) =>
  signedHeaders({ id: '0198f6a2-0000-7000-8000-000000000001', at, body }, secrets);

for (const [name, open] of LIBRARIES)
  describe(`signatures, verified with ${name}`, () => {
    it('[DLV-04] [DLV-05] [DLV-07] are valid for any body, in both families of headers', () => {
      for (const secret of [makeSecret(), toSecret('correct horse battery staple')])
        for (const body of BODIES) {
          const headers = signed(body, [secret]);
          open(secret)(body, headers);
          const upper = Object.entries(headers).map(([key, value]) => [key.toUpperCase(), value]);
          if (name === 'standardwebhooks') open(secret)(body, Object.fromEntries(upper));
        }
    });

    it('[DLV-06] are invalid when a byte or more than five minutes of the time differ', () => {
      const secret = makeSecret();
      const body = '{"a":1}';
      const headers = signed(body, [secret]);
      const bad: [string, Record<string, string>][] = [['{"a":2}', headers]];
      for (const [part, value] of [
        ['id', '0198f6a2-0000-7000-8000-000000000002'],
        ['timestamp', String(Number(headers['webhook-timestamp']) + 1)],
      ] as const)
        bad.push([body, { ...headers, [`webhook-${part}`]: value, [`svix-${part}`]: value }]);
      bad.push([body, signed(body, [secret], Date.now() - 6 * 60_000)]);
      bad.push([body, signed(body, [secret], Date.now() + 6 * 60_000)]);
      for (const [text, tampered] of bad) assert.throws(() => open(secret)(text, tampered));
      assert.throws(() => open(makeSecret())(body, headers));
    });

    it('[DLV-08] [WHK-22] are valid with either of two secrets, even beside a signature of another version', () => {
      const [now, before] = [makeSecret(), makeSecret()];
      const headers = signed('{}', [now, before]);
      assert.match(headers['webhook-signature'] ?? '', /^v1,[^ ,]{44} v1,[^ ,]{44}$/);
      const foreign = `v1a,abcd ${headers['webhook-signature']}`;
      for (const secret of [now, before]) {
        open(secret)('{}', headers);
        const both = { ...headers, 'webhook-signature': foreign, 'svix-signature': foreign };
        open(secret)('{}', both);
      }
    });
  });
