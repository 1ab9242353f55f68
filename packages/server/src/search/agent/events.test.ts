import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eventsOf } from './events.ts';
import type { AgenticAnswer, AgenticStep } from './schema.ts';
import type { AgenticRequest } from './service.ts';

const request = {} as AgenticRequest;
const { signal } = new AbortController();
const search = (query: string): AgenticStep => ({ type: 'search', query, results_found: 0 });

it('[STR-06] a slow reader gets every step, and then the outcome', async () => {
  const ends = {
    answer: { results: [] as unknown[] } as AgenticAnswer,
    failure: new Error('it broke'),
  };
  for (const [how, end] of Object.entries(ends)) {
    const isAsked = Promise.withResolvers<(step: AgenticStep) => void>();
    const outcome = Promise.withResolvers<AgenticAnswer>();
    const run = (_: unknown, tell: (step: AgenticStep) => void) => {
      isAsked.resolve(tell);
      return outcome.promise;
    };
    const events = eventsOf({ run }, request, signal);
    const first = events.next();
    const tell = await isAsked.promise;
    tell(search('a'));
    assert.deepEqual((await first).value, search('a'));
    tell(search('b'));
    tell(search('c'));
    if (end instanceof Error) outcome.reject(end);
    else outcome.resolve(end);
    await Promise.allSettled([outcome.promise]);
    await new Promise(setImmediate);
    for (const query of ['b', 'c']) assert.deepEqual((await events.next()).value, search(query));
    if (how === 'failure') await assert.rejects(events.next(), ends.failure);
    else assert.deepEqual((await events.next()).value, { type: 'done', ...ends.answer });
  }
});
