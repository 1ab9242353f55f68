import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SourceError } from '../../errors.ts';
import { describeFailure, heldBackDetails } from './failure.ts';

describe('describeFailure', () => {
  it('[JOB-20] passes on the message of the source, and says whether a retry may help', () => {
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

  it('[JOB-20] names the stage of the sync in which the error occurred', () => {
    const stageOf = (error: SourceError) => describeFailure(error).details.stage;
    const options = { retryAfter: 3, hint: 'wait' };
    const embedding = new SourceError('rate_limited', 'busy', { ...options, stage: 'embed' });
    assert.equal(stageOf(embedding), 'embed');
    const extracting = new SourceError('transient', 'busy', options).at('extract');
    assert.equal(stageOf(extracting), 'extract');
    const { kind, message, retryAfter, hint } = extracting;
    assert.deepEqual([kind, message, retryAfter, hint], ['transient', 'busy', 3, 'wait']);
  });

  it('[JOB-20] shows nothing of the message of an internal error', () => {
    const message = 'the sync stopped because of an error in Quarry; see its log';
    for (const error of [new Error('secret'), 'secret', undefined])
      assert.deepEqual(describeFailure(error), {
        error: message,
        details: { code: 'internal', stage: 'sync', message, retryable: true },
      });
  });
});

describe('heldBackDetails', () => {
  it('[JOB-44] gives the number of deletions, and says what to do', () => {
    const { code, stage, message, retryable, hint } = heldBackDetails(51);
    assert.deepEqual([code, stage, retryable], ['deletions_need_confirmation', 'sweep', false]);
    assert.match(message, /^51 entities are no longer at the source/);
    assert.match(hint ?? '', /confirm-deletions/);
  });
});
