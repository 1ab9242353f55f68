import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SourceError } from '../../errors.ts';
import { describeFailure, heldBackDetails } from './failure.ts';

describe('describeFailure', () => {
  it('[JOB-20] hands on the words of the source, and what may pass by itself', () => {
    const retryable = (kind: SourceError['kind']) =>
      describeFailure(new SourceError(kind, 'no')).details.retryable;
    assert.deepEqual(
      (['transient', 'rate_limited', 'auth', 'config', 'skip', 'fatal'] as const).map(retryable),
      [true, true, false, false, false, false],
    );
    assert.deepEqual(describeFailure(new SourceError('auth', 'refused', { hint: 'renew it' })), {
      error: 'refused',
      details: {
        code: 'auth',
        stage: 'pull',
        message: 'refused',
        retryable: false,
        hint: 'renew it',
      },
    });
    assert.ok(!('hint' in describeFailure(new SourceError('auth', 'refused')).details));
  });

  it('[JOB-20] names the stage in which the sync met the error', () => {
    const stageOf = (error: SourceError) => describeFailure(error).details.stage;
    const options = { retryAfter: 3, hint: 'wait' };
    const embedding = new SourceError('rate_limited', 'busy', { ...options, stage: 'embed' });
    assert.equal(stageOf(embedding), 'embed');
    const extracting = new SourceError('transient', 'busy', options).at('extract');
    assert.equal(stageOf(extracting), 'extract');
    const { kind, message, retryAfter, hint } = extracting;
    assert.deepEqual([kind, message, retryAfter, hint], ['transient', 'busy', 3, 'wait']);
  });

  it('[JOB-20] says nothing of what an error of ours holds', () => {
    const message = 'the sync stopped because of an error of ours; the log has it';
    for (const error of [new Error('secret'), 'secret', undefined])
      assert.deepEqual(describeFailure(error), {
        error: message,
        details: { code: 'internal', stage: 'sync', message, retryable: true },
      });
  });
});

describe('heldBackDetails', () => {
  it('[JOB-44] says how many, and what to do', () => {
    const { code, stage, message, retryable, hint } = heldBackDetails(51);
    assert.deepEqual([code, stage, retryable], ['deletions_need_confirmation', 'sweep', false]);
    assert.match(message, /^51 entities are no longer at the source/);
    assert.match(hint ?? '', /confirm-deletions/);
  });
});
