import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { SourceError } from '../errors.ts';
import { defineSource, secret } from '../sources/define.ts';
import { describeWithCauses, secretsOf } from './causes.ts';

const source = defineSource({
  shortName: 'test',
  name: 'Test',
  description: '',
  labels: [],
  auth: {
    direct: {
      fields: z.object({
        url: secret('URL', 'A URL').max(2000).optional(),
        token: secret('Token', 'A token').optional(),
        host: z.string().optional().meta({ title: 'Host', description: 'A host' }),
      }),
    },
  },
  config: z.strictObject({}),
  entities: {},
  evidence: [],
  rateLimitLevel: null,
});
const logged = (message: string, credentials: Record<string, string>) =>
  describeWithCauses(new Error(message), secretsOf(source, credentials)).join();

describe('the causes of a refusal', () => {
  it('are listed from the outermost to the innermost, with the addresses that were tried', () => {
    const tried = ['::1', '127.0.0.1'].map((address) =>
      Object.assign(new Error(`connect ECONNREFUSED ${address}:5`), { code: 'ECONNREFUSED' }),
    );
    const cause = Object.assign(new AggregateError(tried), { code: 'ECONNREFUSED' });
    assert.deepEqual(describeWithCauses(new SourceError('transient', 'cannot', { cause }), []), [
      'SourceError: cannot',
      'AggregateError ECONNREFUSED',
      'Error ECONNREFUSED: connect ECONNREFUSED ::1:5',
      'Error ECONNREFUSED: connect ECONNREFUSED 127.0.0.1:5',
    ]);
  });

  it('are limited in number and length, for circles and for values that are not errors too', () => {
    const circle = new Error('one');
    circle.cause = new Error('two', { cause: circle });
    assert.deepEqual(describeWithCauses(circle, []), ['Error: one', 'Error: two']);
    const many = new AggregateError(Array.from({ length: 99 }, () => new Error('x')));
    assert.equal(describeWithCauses(many, []).length, 20);
    assert.equal(describeWithCauses(new Error('x'.repeat(9000)), [])[0]?.length, 501);
    assert.deepEqual(describeWithCauses('thrown', []), ['thrown']);
  });

  const token = 'pass "word%/ü';
  for (const [how, message] of [
    ['as it is', `no ${token} here`],
    ['percent-encoded', `no ${encodeURIComponent(token)} here`],
    ['as JSON', `no ${JSON.stringify({ token })} here`],
  ] as const)
    it(`[AUTH-12] contain no secret field of the credentials ${how}`, () => {
      const text = logged(message, { token });
      assert.doesNotMatch(text, /word/);
      assert.match(text, /\[secret\].* here/);
    });

  it('[AUTH-12] contain neither the URL of the credentials nor its password', () => {
    const url = 'postgres://ann:hunter%202@db.example/shop';
    assert.equal(
      logged(`${url}: 'hunter 2' or hunter%202 of ann at db.example`, { url }),
      "Error: [secret]: '[secret]' or [secret] of ann at db.example",
    );
    assert.equal(logged('got t0ken', { url: 'https://t0ken@api.example/' }), 'Error: got [secret]');
  });

  it('[AUTH-12] have a long secret removed before its parts, and before they are cut', () => {
    const credentials = { token: 'hunter2', url: 'hunter2-and-more' };
    assert.equal(logged('hunter2-and-more', credentials), 'Error: [secret]');
    assert.doesNotMatch(logged(`${'x'.repeat(495)}hunter2`, credentials), /h$|hu|hun/);
  });

  it('[AUTH-12] contain nothing that looks like a secret, even if it is not in the credentials', () => {
    const key = `ghp_${'a'.repeat(36)}`;
    assert.equal(
      logged(`${key} postgres://me:hunter2@db/x password: hunter2`, {}),
      'Error: [secret] postgres://[secret]@db/x password: [secret]',
    );
  });

  it('contain credential fields that are not secret', () =>
    assert.equal(
      logged('cannot reach db.example', { host: 'db.example' }),
      'Error: cannot reach db.example',
    ));

  it('work without credentials', () => assert.deepEqual(secretsOf(source, null), []));
});
