import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { type Llm, LlmError, type LlmQuestion } from '../../engines/llm/llm.ts';
import { chunkRow } from '../../test/search/chunk-row.ts';
import { toPassage } from '../passage.ts';
import { SHOWN, writeAnswer } from './answer.ts';
import { assist } from './assistant.ts';
import { createModelCache } from './model-cache.ts';
import { vary } from './vary.ts';

const never = new AbortController().signal;
const QUESTION = {
  purpose: 'expand',
  instructions: 'say',
  material: [{ label: 'query', text: 'dogs' }],
  schema: z.unknown(),
  maxOutputTokens: 10,
  timeoutMs: 1000,
} satisfies LlmQuestion<unknown>;

/** Makes a model that answers with the value of `says`, or with the number of calls so far. */
function talker(says?: (question: LlmQuestion<unknown>) => unknown, model = 'm') {
  const asked: LlmQuestion<unknown>[] = [];
  const llm: Llm = {
    model,
    async ask<T>(question: LlmQuestion<T>) {
      asked.push(question as LlmQuestion<unknown>);
      const value = says ? says(question as LlmQuestion<unknown>) : asked.length;
      const usage = { model, inputTokens: 1, outputTokens: 1, calls: 1 };
      return { value: value as T, usage };
    },
  };
  return { llm, asked };
}

describe('the answer of a language model', () => {
  it('[SRH-22] is cached for the same question to the same model', async () => {
    const kept = createModelCache();
    const { llm, asked } = talker();
    const ask = (over: Partial<typeof QUESTION>, by = llm) =>
      assist(by, kept, never).ask({ ...QUESTION, ...over }, 'cached');
    assert.equal(await ask({}), 1);
    assert.equal(await ask({}), 1);
    assert.equal(await ask({ purpose: 'interpret' }), 2);
    assert.equal(await ask({ instructions: 'say it' }), 3);
    assert.equal(await ask({ material: [{ label: 'query', text: 'cats' }] }), 4);
    assert.equal(await ask({ material: [{ label: 'sources', text: 'dogs' }] }), 5);
    assert.equal(asked.length, 5);
    assert.equal(await ask({}, talker(() => 'else', 'another').llm), 'else');
    assert.equal(await ask({}), 1);
  });

  it("[SRH-22] costs nothing from the cache, and is requested again for 'uncached'", async () => {
    const kept = createModelCache();
    const { llm } = talker();
    const first = assist(llm, kept, never);
    assert.equal(await first.ask(QUESTION, 'uncached'), 1);
    assert.equal(await first.ask(QUESTION, 'cached'), 2);
    assert.equal(await first.ask(QUESTION, 'uncached'), 3);
    assert.equal(first.usage.length, 3);
    const second = assist(llm, kept, never);
    assert.equal(await second.ask(QUESTION, 'cached'), 2);
    assert.deepEqual(second.usage, []);
  });

  it('[SRH-32] is undefined after a failure, which is not cached', async () => {
    const kept = createModelCache();
    let isDown = true;
    const { llm } = talker(() => {
      if (isDown) throw new LlmError('unavailable', 'down');
      return 'up';
    });
    assert.equal(await assist(llm, kept, never).ask(QUESTION, 'cached'), undefined);
    isDown = false;
    assert.equal(await assist(llm, kept, never).ask(QUESTION, 'cached'), 'up');
    assert.equal(await assist(null, kept, never).ask(QUESTION, 'cached'), undefined);
  });

  it('[SRH-08] gives other phrasings of the query, without empty and repeated ones', async () => {
    const { llm } = talker(() => ({
      variations: [
        '...',
        ' ',
        'the dog',
        'DOGS',
        'hound fares',
        ' hounds  fare ',
        'a',
        'b c',
        'd e',
      ],
    }));
    const said = await vary(assist(llm, createModelCache(), never), 'dogs');
    assert.deepEqual(said, ['hound fares', 'b c', 'd e']);
  });

  it('[SRH-11] may cite only the passages that the model was shown', async () => {
    const { llm, asked } = talker(() => ({
      answered: true,
      text: `Dogs travel [1]. Dogs travel [${SHOWN + 1}].`,
    }));
    const passages = Array.from({ length: SHOWN + 5 }, (_, i) =>
      toPassage(chunkRow({ entity_id: `d${i}`, text: 'Dogs travel.' }), 1),
    );
    const answer = await writeAnswer(
      assist(llm, createModelCache(), never),
      { text: 'dogs', terms: ['dog'] },
      passages,
    );
    assert.equal(asked[0]?.material.length, 1 + SHOWN);
    assert.deepEqual(answer?.citations, ['d0__chunk_0']);
  });
});
