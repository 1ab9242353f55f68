import { useEffect, useRef, useState } from 'react';
import { eventsOf, pause } from '../../api/events.ts';
import {
  type AgenticAnswer,
  type AgenticEvent,
  type AgenticStep,
  filterGroupsOf,
} from '../../lib/agentic.ts';
import { sentenceOf } from '../../lib/refusal.ts';
import { isPassing, retryWait } from '../../lib/retry.ts';
import type { Asked } from '../../parts/search/use-answer.ts';

interface Told {
  readonly steps: readonly AgenticStep[];
  readonly answer: AgenticAnswer | null;
  readonly error: unknown;
  readonly state: 'running' | 'ended' | 'cancelled';
  /** It counts the tries in a row that a busy service has refused, the last one for `failureReason`. */
  readonly failureCount: number;
  readonly failureReason: unknown;
}
const BEGUN: Told = {
  steps: [],
  answer: null,
  error: null,
  state: 'running',
  failureCount: 0,
  failureReason: null,
};

type Tell = (change: (old: Told) => Told) => void;

/**
 * Asks in steps. A service that is busy is asked again by itself; a stream that breaks is not, because each request that
 * was accepted counts against a quota.
 */
export function useAgentic({ collection, query, as, types, sources, conditions }: Asked) {
  const [told, setTold] = useState(BEGUN);
  const [attempt, setAttempt] = useState(0);
  const running = useRef<AbortController>(null);
  const body = JSON.stringify({ query, filter: filterGroupsOf({ types, sources, conditions }) });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt asks the same once more.
  useEffect(() => {
    const ending = new AbortController();
    running.current = ending;
    setTold(BEGUN);
    const request = {
      url: `/v1/collections/${encodeURIComponent(collection)}/agentic-search/stream`,
      signal: ending.signal,
      body: JSON.parse(body) as object,
      ...(as && { headers: { 'x-principals': as } }),
    };
    void read(request, (change) => {
      if (!ending.signal.aborted) setTold(change);
    });
    return () => ending.abort();
  }, [collection, body, as, attempt]);
  return {
    ...told,
    cancel() {
      running.current?.abort();
      setTold((old) => ({ ...old, state: 'cancelled' }));
    },
    again: () => setAttempt(attempt + 1),
  };
}

async function read(request: Parameters<typeof eventsOf>[0], tell: Tell): Promise<void> {
  for (let failures = 0; !request.signal.aborted; failures++) {
    try {
      await readOnce(request, tell);
      return;
    } catch (error) {
      if (!isPassing(error)) {
        tell((old) => ({ ...old, error: reasonOf(error), state: 'ended' }));
        return;
      }
      tell(() => ({ ...BEGUN, failureCount: failures + 1, failureReason: error }));
      await pause(retryWait(failures, error), request.signal);
    }
  }
}

async function readOnce(request: Parameters<typeof eventsOf>[0], tell: Tell): Promise<void> {
  for await (const event of eventsOf<AgenticEvent>(request)) {
    if (event.type === 'error') throw new Error(sentenceOf(event.message));
    if (event.type === 'done') {
      tell((old) => ({ ...old, answer: event, state: 'ended' }));
      return;
    }
    tell((old) => ({ ...old, steps: [...old.steps, event] }));
  }
  throw new TypeError('the stream has ended without an answer');
}

/** The browser throws a TypeError when a stream breaks; anything else is an answer of the service. */
const reasonOf = (error: unknown): unknown =>
  error instanceof TypeError ? new Error('The connection broke before the answer came.') : error;
