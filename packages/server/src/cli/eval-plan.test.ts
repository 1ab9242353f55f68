import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type EvalFlags, planOf } from './eval-plan.ts';

describe('the flags of quarry eval', () => {
  const collection = 'notes';
  for (const [folders, flags, message] of [
    [[], { fit: true }, /^--fit needs --collection/],
    [['set'], { fit: true, knownItems: '9' }, /^--fit needs --collection/],
    [[], { fit: true, collection }, /^--collection needs a folder with queries, or --known-items$/],
    [['set'], { fit: true, collection, stages: 'hybrid' }, /^--fit measures no stages/],
    [['set'], { fit: true, collection, features: true }, /^--fit measures no stages/],
    [['set'], { fit: true, collection, cutNames: true }, /^--cut-names needs folders/],
    [['set'], { dryRun: true, collection }, /^--dry-run belongs to --fit$/],
    [[], { resetWeights: true }, /^--reset-weights needs --collection/],
    [['set'], { resetWeights: true, collection }, /^--reset-weights measures nothing/],
    [[], { resetWeights: true, collection, knownItems: '9' }, /^--reset-weights measures nothing/],
    [[], { resetWeights: true, collection, fit: true }, /^--reset-weights measures nothing/],
    [['a', 'b'], { collection }, /^--collection takes the queries of one folder$/],
  ] as const satisfies readonly (readonly [readonly string[], EvalFlags, RegExp])[])
    it(`are refused with a reason: ${JSON.stringify(flags)} and ${folders.length} folders`, () => {
      assert.throws(() => planOf(folders, flags), { message });
    });

  it('may ask for a fit, a fit without storing it, or a reset', () => {
    const { seed, knownItems } = planOf([], {
      ...{ collection, fit: true, dryRun: true, json: true },
      ...{ knownItems: '300', seed: '7' },
    });
    assert.deepEqual([seed, knownItems], [7, 300]);
    planOf(['set'], { collection, fit: true });
    planOf([], { collection, resetWeights: true });
  });
});
