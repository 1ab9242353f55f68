import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { SourceError } from '../../errors.ts';
import { concernsOnePart } from '../sql/failure.ts';
import { toSourceError } from './failure.ts';

const answered = (code: string) => {
  const error = new pg.DatabaseError('it said no', 0, 'error');
  error.code = code;
  return toSourceError(error, 'db:5432');
};

describe('errors of PostgreSQL', () => {
  it('have a kind that follows from their SQLSTATE', () => {
    const kinds = {
      auth: ['28P01', '28000'],
      config: [
        '3D000',
        '3F000',
        '42P01',
        '42501',
        '42601',
        '22012',
        '0A000',
        '21000',
        '25006',
        '25001',
        '08P01',
        'P0001',
      ],
      transient: [
        '08006',
        '25P03',
        '25P04',
        '40001',
        '53300',
        '55P03',
        '57014',
        '57P01',
        '57P03',
        '58030',
      ],
      fatal: ['XX001', '99999'],
    };
    for (const [kind, codes] of Object.entries(kinds))
      for (const code of codes) assert.equal(answered(code).kind, kind, code);
    assert.equal(answered('42P01').message, 'PostgreSQL answered: it said no');
  });

  it('name the server of a network error but not its address, and are transient', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED 10.1.2.3:5432'), {
      code: 'ECONNREFUSED',
      syscall: 'connect',
    });
    const error = toSourceError(refused, 'db:5432');
    assert.equal(error.kind, 'transient');
    assert.equal(error.message, 'PostgreSQL at db:5432 cannot be reached: ECONNREFUSED');
    assert.equal(error.cause, refused);
    const several = Object.assign(new AggregateError([]), { code: 'ETIMEDOUT' });
    assert.match(toSourceError(several, 'db:5432').message, /cannot be reached: ETIMEDOUT$/);
  });

  it('stay unchanged when they are already a SourceError', () => {
    const error = new SourceError('config', 'known');
    assert.equal(toSourceError(error, 'db'), error);
  });

  it('of the kinds config and fatal concern only one table', () => {
    const kinds = ['config', 'fatal', 'auth', 'transient'] as const;
    assert.deepEqual(
      kinds.map((kind) => concernsOnePart(new SourceError(kind, ''))),
      [true, true, false, false],
    );
  });
});
