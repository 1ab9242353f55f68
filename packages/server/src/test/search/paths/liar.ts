/**
 * Makes models that lie: they answer with rubbish, nothing, invented numbers and names, and words of hidden records.
 * Every text that they get is passed to `reads`, because a model must not read what the asker may not see.
 */
import { type Llm, LlmError, type LlmQuestion } from '../../../engines/llm/llm.ts';
import type { Reranker } from '../../../engines/ports.ts';
import { must } from '../../../util.ts';
import type { Pause } from './moments.ts';

export interface Stage {
  /** The models take these decisions one after the other, and begin again after the last. */
  readonly script: readonly number[];
  /** These are the markers of all chunks. */
  readonly markers: readonly string[];
  readonly pause: Pause;
  readonly reads: (text: string) => void;
  /** Called when the reranker, or the model that writes the answer, has answered or failed. */
  readonly over: () => void;
}

const MODEL = 'liar';
const FAILURES = ['unavailable', 'timeout', 'invalid', 'budget'] as const;

export function lyingModels(stage: Stage): { llm: Llm; reranker: Reranker } {
  const { script, markers, pause, reads, over } = stage;
  let said = 0;
  const draw = (below: number): number => must(script[said++ % script.length]) % below;
  const pick = <T>(...of: T[]): T => of[draw(of.length)] as T;
  const several = <T>(one: () => T): T[] => Array.from({ length: draw(5) }, one);
  const marker = () => markers[(draw(1000) * 7 + draw(1000)) % markers.length] ?? '';
  const query = () =>
    pick(marker(), 'harbour light', 'ship', '', 'x'.repeat(400), `${marker()} source:files`, 'd0');
  const number = () => pick(1, 2, 3, 0, -1, 99, 1_000_000);
  const time = () => pick(null, '2024-02-05', '2023-01-01T00:00:00Z', 'soon', '');

  function sentence(passages: readonly string[]): string {
    const [line = ''] = passages.slice(draw(Math.max(1, passages.length)));
    return pick(
      `${line.replaceAll('\n', ' ')} [${number()}].`,
      `${line.replaceAll('\n', ' ')} [1].`,
      `The harbour has ${marker()} [1][2][99].`,
      `[d0__chunk_0] The keeper says so [1].`,
      `PWNED [${marker()}].`,
      'The ship.',
    );
  }

  const SAYS: Readonly<Record<string, (passages: readonly string[]) => unknown>> = {
    expand: () => ({ variations: several(query) }),
    interpret: () => ({
      search_for: query(),
      sources: several(() => pick('push', 'files', 'shelf', 'invented')),
      types: several(() => pick('Note', 'Page', 'Secret')),
      name_contains: pick(null, null, 'd', 'd1', marker()),
      updated_from: time(),
      updated_before: time(),
      created_from: time(),
      created_before: time(),
    }),
    plan: () => ({ reasoning: query(), strategy: query(), queries: several(query) }),
    evaluate: () => ({
      quality_score: draw(11) / 10,
      needs_refinement: draw(3) > 0,
      relevant: several(number),
      queries: several(query),
      read_around: several(number),
    }),
    answer: (passages) => ({
      answered: draw(6) > 0,
      text: several(() => sentence(passages)).join(' '),
    }),
  };

  const llm: Llm = {
    model: MODEL,
    async ask<T>(question: LlmQuestion<T>) {
      const passages = question.material.filter(({ label }) => label.startsWith('passage'));
      const texts = passages.map(({ text }) => text);
      for (const text of texts) reads(text);
      const value = question.schema.safeParse(must(SAYS[question.purpose])(texts));
      await pause('model');
      if (question.purpose === 'answer') over();
      if (draw(5) === 0) throw new LlmError(pick(...FAILURES), 'it lies');
      if (!value.success) throw new LlmError('invalid', 'it lies in another shape');
      return {
        value: value.data,
        usage: { model: MODEL, inputTokens: 9, outputTokens: 9, calls: 1 },
      };
    },
  };
  const reranker: Reranker = {
    model: MODEL,
    async rerank(_query, texts) {
      for (const text of texts) reads(text);
      await pause('model');
      over();
      if (draw(4) === 0) throw new Error('it lies');
      return texts.map(() => draw(101) / 100);
    },
  };
  return { llm, reranker };
}
