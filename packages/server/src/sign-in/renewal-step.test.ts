import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nextStep, type TokenNeed } from './renewal-step.ts';

const NOW = 1_000_000_000;
const HOUR = 3_600_000;
const MINUTE = 60_000;

const need = (
  row: Partial<TokenNeed['row']>,
  over: Partial<TokenNeed['renewal']> & { refused?: string; tokens?: null } = {},
) => {
  const { refused = null, tokens, ...renewal } = over;
  return nextStep({
    row: {
      version: 3,
      expires_at: NOW + HOUR,
      renew_at: NOW + 54 * MINUTE,
      claim: null,
      claimed_until: null,
      sent_at: null,
      failures: 0,
      fault: null,
      fault_kind: null,
      rest_until: null,
      now: NOW,
      ...row,
    },
    tokens: tokens === null ? null : { accessToken: 'a', refreshToken: 'r' },
    refused,
    renewal: {
      spends: { graceMs: 0 },
      isFinal: true,
      canRenew: () => true,
      hint: 'sign in again',
      ...renewal,
    },
  });
};

const due = { renew_at: NOW };
const ended = { expires_at: NOW, renew_at: NOW - MINUTE };
const abandoned = { claim: 'c', claimed_until: NOW - 1, sent_at: NOW - MINUTE };
const repeatable = { spends: null };

function errorOf(step: ReturnType<typeof need>) {
  assert.ok(step.do === 'fail' || step.do === 'abandon', step.do);
  return step.error;
}

describe('the next step of a caller who needs a token', () => {
  const does = (step: ReturnType<typeof need>, what: string) => assert.equal(step.do, what);

  it('[AUTH-23] uses a token that lives long enough, and renews it before its end or after a refusal', () => {
    does(need({}), 'use');
    does(need({ expires_at: null, renew_at: null }), 'use');
    does(need(due), 'renew');
    does(need(ended), 'renew');
    does(need({ expires_at: NOW + 4000, renew_at: NOW - 1 }, { canRenew: () => false }), 'fail');
    does(need({}, { refused: '3' }), 'renew');
    does(need({}, { refused: '2' }), 'use');
    does(need({}, { tokens: null }), 'renew');
  });

  it('[AUTH-24] waits for a renewal by another caller only when the token no longer works', () => {
    const claimed = { claim: 'c', claimed_until: NOW + 1, sent_at: NOW };
    does(need({ ...claimed, ...due }), 'use');
    does(need({ ...claimed, ...ended }), 'wait');
    does(need(claimed, { refused: '3' }), 'wait');
  });

  it('fails with a hint to sign in when a renewal is impossible', () => {
    const step = need(ended, { canRenew: () => false });
    assert.equal(errorOf(step).kind, 'auth');
    assert.equal(errorOf(step).hint, 'sign in again');
    does(need(due, { canRenew: () => false }), 'use');
  });

  it('[AUTH-36] does not try again for a while after a failure, unless the token still works', () => {
    const resting = { rest_until: NOW + 1500, fault: 'it answered 503', failures: 1 } as const;
    const transient = { ...resting, fault_kind: 'transient' } as const;
    const error = errorOf(need({ ...ended, ...transient }));
    assert.deepEqual([error.kind, error.message], ['transient', 'it answered 503']);
    does(need({ ...due, ...transient }), 'use');
    does(need({ ...ended, ...transient, rest_until: NOW }), 'renew');
    const limited = errorOf(need({ ...ended, ...resting, fault_kind: 'rate_limited' }));
    assert.deepEqual([limited.kind, limited.retryAfter], ['rate_limited', 1.5]);
  });

  it('[AUTH-36] does not send a refused refresh token again, but tries refused credentials again', () => {
    const refused = { fault: 'revoked', fault_kind: 'auth', rest_until: NOW - 1 } as const;
    const error = errorOf(need({ ...ended, ...refused }));
    assert.deepEqual([error.kind, error.hint], ['auth', 'sign in again']);
    does(need({ ...due, ...refused }), 'use');
    does(need({ ...ended, ...refused }, { ...repeatable, isFinal: false }), 'renew');
  });

  it('[AUTH-25] sends a refresh token whose answer was lost again only as a last resort', () => {
    const lost = { sent_at: NOW - MINUTE, failures: 1, fault_kind: 'transient' } as const;
    does(need({ ...due, ...lost }), 'use');
    assert.deepEqual(need({ ...ended, ...lost }), { do: 'renew', takesOver: false });
    does(need({ ...due, ...lost }, repeatable), 'renew');
  });

  it('[AUTH-25] does not send a refresh token again that a dead process may have used', () => {
    does(need({ ...due, ...abandoned }), 'use');
    const step = need({ ...ended, ...abandoned });
    does(step, 'abandon');
    assert.equal(errorOf(step).kind, 'auth');
    assert.deepEqual(need({ ...ended, ...abandoned }, repeatable), {
      do: 'renew',
      takesOver: true,
    });
  });

  it('[AUTH-24] [AUTH-36] takes times that the clock cannot have written since it was set back for passed', () => {
    const ahead = NOW + 365 * 24 * HOUR;
    const rest = { rest_until: ahead, fault: 'it answered 503', fault_kind: 'transient' } as const;
    does(need({ ...ended, ...rest }), 'renew');
    const claimed = { claim: 'c', claimed_until: ahead, sent_at: ahead };
    assert.deepEqual(need({ ...ended, ...claimed }, repeatable), { do: 'renew', takesOver: true });
    // Nobody knows whether the grace period has passed, so the token is not sent again.
    does(need({ ...ended, ...claimed }, { spends: { graceMs: 10 * MINUTE } }), 'abandon');
  });

  it('[AUTH-25] sends such a token again while the service accepts a repetition', () => {
    const grace = { spends: { graceMs: 10 * MINUTE } };
    assert.deepEqual(need({ ...due, ...abandoned }, grace), { do: 'renew', takesOver: true });
    does(need({ ...ended, ...abandoned, sent_at: NOW - 10 * MINUTE }, grace), 'abandon');
  });
});
