/** Tests how long a limited process may work that reports its progress. */
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { ExtractOutcome, type ExtractRequest } from '../../documents/extract-protocol.ts';
import { codeFolder } from '../../installation.ts';
import { createLimitedProcess, type LimitedProcess } from '../../sandbox/limited-process.ts';

const never = new AbortController().signal;

describe('a limited process that reports its progress', () => {
  let limited: LimitedProcess<ExtractRequest, ExtractOutcome>;
  afterEach(() => limited.close());

  function run(steps: number, limits: { timeoutMs: number; longestMs?: number }) {
    limited = createLimitedProcess({
      ...limits,
      entry: new URL('./children/slow.ts', import.meta.url),
      outcome: ExtractOutcome,
      readable: async () => [codeFolder('../../../').pathname],
      memoryMb: 512,
      mayConnect: false,
      requestsPerProcess: 10,
    });
    const request = { kind: 'html', name: '', size: steps } as const;
    return limited.run(request, never, async (input) => void input.write(Buffer.alloc(steps)));
  }

  it('may work longer than the time of one step', async () => {
    const outcome = await run(10, { timeoutMs: 2000, longestMs: 60_000 });
    assert.deepEqual(outcome, { is: 'text', text: '10 steps' });
  });

  it('is ended after the longest time, whatever it reports', () =>
    assert.rejects(run(1000, { timeoutMs: 2000, longestMs: 3000 }), {
      by: 'time',
      message: 'took more than 3 s',
    }));

  it('gains nothing where its requests have one time limit', () =>
    assert.rejects(run(1000, { timeoutMs: 2000 }), { by: 'time', message: 'took more than 2 s' }));
});
