import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SourceError } from '../errors.ts';
import { fileError, systemCode } from './file-error.ts';

const systemError = (code: string) => Object.assign(new Error(code), { code, syscall: 'open' });
const told = (code: string) => {
  const error = fileError(systemError(code), 'the file');
  assert.ok(error instanceof SourceError);
  return [error.kind, error.message, error.hint];
};

describe('an error of the file system', () => {
  const denied = 'Allow the user that Quarry runs as to read it.';
  it('concerns one file', () => {
    const reads = 'the file cannot be read: ';
    assert.deepEqual(told('ENOENT'), [
      'skip',
      `${reads}it no longer exists`,
      'If it was deleted, the next sync notices.',
    ]);
    assert.deepEqual(told('EACCES'), ['skip', `${reads}permission denied`, denied]);
    assert.deepEqual(told('EPERM'), ['skip', `${reads}permission denied`, denied]);
    assert.deepEqual(told('ENAMETOOLONG'), [
      'skip',
      `${reads}its path is too long`,
      'Move it to a folder nearer to the root.',
    ]);
    assert.deepEqual(told('EIO'), ['skip', `${reads}EIO`, 'Check it, and the disk it is on.']);
  });

  for (const code of ['EMFILE', 'ENFILE', 'ENOMEM'])
    it(`concerns the whole machine: ${code}`, () =>
      assert.deepEqual(told(code), [
        'transient',
        `files cannot be opened at the moment: ${code}`,
        undefined,
      ]));

  for (const code of ['ESTALE', 'ETIMEDOUT', 'ENOTCONN', 'EHOSTDOWN'])
    it(`concerns the disk of the network: ${code}`, () =>
      assert.deepEqual(told(code), [
        'transient',
        `the disk of the files does not answer: ${code}`,
        'Check that the server of the disk can be reached.',
      ]));

  it('is returned unchanged when it does not come from the system', () => {
    const error = Object.assign(new Error('x'), { code: 'ERR_X' });
    assert.equal(fileError(error, 'the file'), error);
    assert.deepEqual(
      [systemCode(error), systemCode('ENOENT'), systemCode(systemError('EIO'))],
      [null, null, 'EIO'],
    );
  });
});
