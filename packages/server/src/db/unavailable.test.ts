import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { refusalReason, unavailableReason } from './unavailable.ts';

const error = (fields: object, message = 'x') => Object.assign(new Error(message), fields);
const sqlite = (errcode: number) => error({ code: 'ERR_SQLITE_ERROR', errcode });

describe('[GEN-18] unavailableReason', () => {
  for (const [errcode, reason] of [
    [5, 'the database is busy'],
    [517, 'the database is busy'],
    [8, 'the database is read-only'],
    [10, 'the database cannot be read or written'],
    [4874, 'the database cannot be read or written'],
    [13, 'the disk of the database is full'],
    [14, 'the database cannot be opened'],
    [1, null],
    [19, null],
    [2067, null],
  ] as const)
    it(`is '${reason}' for SQLite ${errcode}`, () =>
      assert.equal(unavailableReason(sqlite(errcode)), reason));

  for (const code of ['ECONNREFUSED', 'ETIMEDOUT', '08006', '08P01', '53300', '57P01', '57P03'])
    it(`is that the database cannot be reached for ${code}`, () =>
      assert.equal(unavailableReason(error({ code })), 'the database cannot be reached'));

  for (const [code, reason] of [
    ['53100', 'the disk of the database is full'],
    ['58030', 'the database cannot be read or written'],
    ['25006', 'the database is read-only'],
    ['40001', 'the database is busy'],
    ['40P01', 'the database is busy'],
    ['55P03', 'the database is busy'],
    ['57014', 'the database is busy'],
  ] as const)
    it(`is '${reason}' for ${code}`, () =>
      assert.equal(unavailableReason(error({ code })), reason));

  for (const code of ['25P03', '55000', '3D000', '28P01'])
    it(`is that the database cannot be reached for a fatal ${code}, and null otherwise`, () => {
      const of = (severity: string) => unavailableReason(error({ code, severity }));
      assert.deepEqual([of('FATAL'), of('ERROR')], ['the database cannot be reached', null]);
    });

  for (const code of [
    '23505',
    '42P01',
    '25001',
    '125006',
    '250061',
    '40002',
    'ENOENT',
    'FST_ERR_X',
    8,
  ])
    it(`is null for ${code}`, () => assert.equal(unavailableReason(error({ code })), null));

  it('recognizes errors of pg without a code', () => {
    for (const message of [
      'Connection terminated unexpectedly',
      'Connection terminated due to connection timeout',
      'timeout exceeded when trying to connect',
      'Client has encountered a connection error and is not queryable',
    ])
      assert.equal(unavailableReason(new Error(message)), 'the database cannot be reached');
    assert.equal(unavailableReason(new Error('the Connection terminated')), null);
  });

  it('is null for an errcode that is not of SQLite, and for values that are not errors', () => {
    assert.equal(unavailableReason(error({ errcode: 5 })), null);
    assert.equal(unavailableReason({ code: 'ECONNREFUSED' }), null);
    assert.equal(unavailableReason(undefined), null);
  });
});

describe('[JOB-48] refusalReason', () => {
  for (const one of [sqlite(8), sqlite(778), sqlite(13), error({ code: '53100' })])
    it(`is the reason of ${JSON.stringify(one)}`, () =>
      assert.equal(refusalReason(one), unavailableReason(one)));

  for (const one of [sqlite(5), sqlite(14), sqlite(1), error({ code: '53300' }), error({})])
    it(`is null for ${JSON.stringify(one)}`, () => assert.equal(refusalReason(one), null));
});
