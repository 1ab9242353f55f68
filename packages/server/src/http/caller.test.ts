import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { callerOf } from './caller.ts';

type Request = Pick<FastifyRequest, 'ctx' | 'headers'>;

const from = (key: string): Request => ({
  headers: { 'x-api-key': key },
  ctx: {} as FastifyRequest['ctx'],
});

const person = (id: string): Request => ({
  headers: { authorization: 'Bearer token' },
  ctx: { person: 'user:a@b.c', account: { id } } as FastifyRequest['ctx'],
});

/** An admin who has signed in by a cookie has no key, and does not search as somebody. */
const admin = (id: string): Request => ({
  headers: { cookie: 'quarry_session=token' },
  ctx: { account: { id }, session: `of ${id}` } as FastifyRequest['ctx'],
});

describe('the caller of a request', () => {
  it('is identified by the key in either header, or as a person', () => {
    assert.equal(
      callerOf(from('k')),
      callerOf({ headers: { authorization: 'Bearer k' }, ctx: {} as FastifyRequest['ctx'] }),
    );
    assert.notEqual(callerOf(from('k')), callerOf(from('l')));
    assert.notEqual(callerOf(person('x')), callerOf(person('y')));
    assert.notEqual(callerOf(admin('x')), callerOf(admin('y')));
    assert.ok(!callerOf(from('a-key-of-somebody')).includes('a-key'));
  });
});
