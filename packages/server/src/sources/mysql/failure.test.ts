import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SourceError } from '../../errors.ts';
import { toSourceError } from './failure.ts';

const answered = (errno: number, sqlState = 'HY000') =>
  toSourceError(
    Object.assign(new Error('it said no'), { errno, sqlState, code: 'ER_X' }),
    'db:3306',
  );

describe('errors of MySQL', () => {
  it('have a kind that follows from their number, or else from their SQLSTATE', () => {
    const kinds = {
      auth: [[1045, '28000'], [1130], [4151], [3118], [9999, '28000']],
      config: [
        [1044, '42000'],
        [1049, '42000'],
        [1054, '42S22'],
        [1146, '42S02'],
        [1142, '42000'],
        [1064, '42000'],
        [1356],
        [1690, '22003'],
        [1792, '25006'],
        [1644, '45000'],
        [1270],
      ],
      transient: [
        [1040, '08004'],
        [1203, '42000'],
        [1205],
        [1213, '40001'],
        [1226, '42000'],
        [1317, '70100'],
        [1412],
        [1927, '70100'],
        [1969, '70100'],
        [3024],
        [4031],
        [1053, '08S01'],
      ],
      fatal: [[1194], [1105], [9999, '99999']],
    } as const;
    for (const [kind, numbers] of Object.entries(kinds))
      for (const [errno, sqlState] of numbers)
        assert.equal(answered(errno, sqlState).kind, kind, String(errno));
    assert.equal(answered(1146).message, 'MySQL answered: it said no');
  });

  it('name the server of a network error but not its address, and are transient', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED 10.1.2.3:3306'), {
      code: 'ECONNREFUSED',
      errno: -111,
      syscall: 'connect',
    });
    const error = toSourceError(refused, 'db:3306');
    assert.equal(error.kind, 'transient');
    assert.equal(error.message, 'MySQL at db:3306 cannot be reached: ECONNREFUSED');
    assert.equal(error.cause, refused);
    const lost = Object.assign(new Error('Connection lost'), { code: 'PROTOCOL_CONNECTION_LOST' });
    assert.equal(
      toSourceError(lost, 'db').message,
      'MySQL at db cannot be reached: Connection lost',
    );
  });

  it('stay unchanged when they are already a SourceError', () => {
    const error = new SourceError('config', 'known');
    assert.equal(toSourceError(error, 'db'), error);
  });
});
