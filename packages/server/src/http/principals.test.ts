import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Rights } from '../context.ts';
import { AppError } from '../errors.ts';
import type { Role } from '../model/role.ts';
import { contextOf } from '../test/identity.ts';
import { principalsOf } from './principals.ts';

const read = (header: string | undefined, role: Role = 'admin', rights: Partial<Rights> = {}) => {
  const ctx = contextOf('o', { ...rights, role });
  return principalsOf({
    ctx,
    headers: { ...(header !== undefined && { 'x-principals': header }) },
  });
};

describe('X-Principals', () => {
  it('[ENT-20] is null without the header, for any role', () => {
    for (const role of ['read', 'member', 'admin'] as const)
      assert.equal(read(undefined, role), null);
  });

  it('[ENT-17] lists users and groups, each once', () => {
    assert.deepEqual(read('user:a@b.c'), ['user:a@b.c']);
    assert.deepEqual(read(' user:a@b.c ,group:Sales Team,group:x, group:x'), [
      'user:a@b.c',
      'group:Sales Team',
      'group:x',
    ]);
  });

  it('[ENT-17] accepts names in any language, in UTF-8 or Latin-1', () => {
    const asRead = (name: string, encoding: BufferEncoding) =>
      Buffer.from(name, encoding).toString('latin1');
    for (const name of ['group:Größe', 'group:東京', 'user:josé@x.y'])
      assert.deepEqual(read(asRead(name, 'utf8')), [name]);
    for (const name of ['group:Größe', 'user:josé@x.y'])
      assert.deepEqual(read(asRead(name, 'latin1')), [name]);
  });

  for (const role of ['read', 'member'] as const)
    it(`[ENT-21] from a ${role} key is a 403`, () => {
      assert.throws(
        () => read('user:a@b.c', role),
        (error) =>
          error instanceof AppError &&
          error.status === 403 &&
          error.message ===
            'only an admin key, or one with search_as, may search as another person (X-Principals)',
      );
    });

  for (const role of ['read', 'member'] as const)
    it(`[ENT-17] [KEY-34] from a ${role} key with search_as is accepted`, () => {
      assert.deepEqual(read('user:a@b.c', role, { searchAs: true }), ['user:a@b.c']);
    });

  for (const header of [
    '',
    'a@b.c',
    'user:',
    'user: ',
    'role:x',
    'user:a,',
    'user:a,,user:b',
    'User:a',
  ])
    it(`[ENT-17] '${header}' is a 422`, () => {
      assert.throws(
        () => read(header),
        (error) =>
          error instanceof AppError &&
          error.status === 422 &&
          error.faults[0]?.loc.join('.') === 'headers.x-principals',
      );
    });
});
