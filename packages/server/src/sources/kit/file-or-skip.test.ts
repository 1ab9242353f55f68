import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SourceError, type SourceErrorKind } from '../../errors.ts';
import { stub } from '../items.ts';
import { LeftOutFile } from './file.ts';
import { fileOrSkip } from './file-or-skip.ts';

describe('a file that a service may refuse', () => {
  const found = stub('a', 'Paper', { version: '1' });
  const read = (error: Error, why?: () => { reason: string; hint: string }) =>
    fileOrSkip(found, { service: 'Acme', ...(why && { why }) }, () => Promise.reject(error));

  it('is returned when it is sent', async () => {
    assert.equal(await fileOrSkip(found, { service: 'Acme' }, async () => 'the file'), 'the file');
  });

  it('is left out, and what is stored of it is removed', async () => {
    const skipped = { kind: 'skip', id: 'a', type: 'Paper', detail: 'answered 403' } as const;
    for (const kind of ['skip', 'outdated'] as const)
      assert.deepEqual(await read(new SourceError(kind, 'answered 403', { hint: 'Ask Bob.' })), {
        ...skipped,
        reason: 'not given out by Acme',
        hint: 'Ask Bob.',
        removes: 'record',
      });
    const why = () => ({ reason: 'too old', hint: 'Renew it.' });
    assert.deepEqual(await read(new SourceError('skip', 'answered 403'), why), {
      ...skipped,
      reason: 'too old',
      hint: 'Renew it.',
      removes: 'record',
    });
  });

  it('keeps its record when the refusal may pass or concerns more than the file', async () => {
    const kinds: SourceErrorKind[] = ['rate_limited', 'transient', 'auth', 'config', 'fatal'];
    for (const kind of kinds)
      await assert.rejects(read(new SourceError(kind, 'not now')), { kind });
    await assert.rejects(read(new LeftOutFile({ reason: 'too large' })), { name: 'LeftOutFile' });
  });
});
