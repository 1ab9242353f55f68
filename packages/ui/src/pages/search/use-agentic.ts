import { useEffect, useRef, useState } from 'react';
import { eventsOf } from '../../api/events.ts';
import { sentenceOf } from '../../api/refusal.ts';
import {
  type AgenticAnswer,
  type AgenticEvent,
  type AgenticStep,
  groupsOf,
} from '../../lib/agentic.ts';
import type { Asked } from './use-answer.ts';

interface Told {
  readonly steps: readonly AgenticStep[];
  readonly answer: AgenticAnswer | null;
  readonly error: unknown;
  readonly state: 'running' | 'ended' | 'cancelled';
}
const BEGUN: Told = { steps: [], answer: null, error: null, state: 'running' };

type Tell = (change: (old: Told) => Told) => void;

/** Asks in steps. A stream that breaks is not asked for again by itself, because each request counts against a quota. */
export function useAgentic({ collection, query, as, types, sources, conditions }: Asked) {
  const [told, setTold] = useState(BEGUN);
  const [attempt, setAttempt] = useState(0);
  const running = useRef<AbortController>(null);
  const body = JSON.stringify({ query, filter: groupsOf({ types, sources, conditions }) });
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
  try {
    for await (const event of eventsOf<AgenticEvent>(request)) {
      if (event.type === 'error') throw new Error(sentenceOf(event.message));
      if (event.type === 'done') {
        tell((old) => ({ ...old, answer: event, state: 'ended' }));
        return;
      }
      tell((old) => ({ ...old, steps: [...old.steps, event] }));
    }
    throw new TypeError('the stream has ended without an answer');
  } catch (error) {
    // The browser throws a TypeError when a stream breaks; anything else is an answer of the service.
    const reason =
      error instanceof TypeError
        ? new Error('The connection broke before the answer came.')
        : error;
    tell((old) => ({ ...old, error: reason, state: 'ended' }));
  }
}
