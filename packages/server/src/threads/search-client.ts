/**
 * Sends searches, agentic searches, examinations and greps from the API's thread to a search thread. Callers use the same
 * interfaces as within one thread.
 */
import type { Examine, ExamineRequest } from '../doctor/examine.ts';
import type { Grep, GrepRequest } from '../entities/contents/grep.ts';
import { unavailable } from '../errors.ts';
import type { AgenticStep } from '../search/agent/schema.ts';
import type { Agent, AgenticRequest } from '../search/agent/service.ts';
import type { Search, SearchRequest } from '../search/service.ts';
import { toError } from './carried-error.ts';
import type { SearchReply, ThreadAnswer } from './protocol.ts';
import { type Supervision, superviseThread } from './supervise.ts';

const MAX_WAITING = 1000;

type ThreadRequest =
  | { readonly request: SearchRequest }
  | { readonly agentic: AgenticRequest }
  | { readonly examine: ExamineRequest }
  | { readonly grep: GrepRequest };

interface PendingCall extends PromiseWithResolvers<ThreadAnswer> {
  readonly tell: ((step: AgenticStep) => void) | undefined;
}

export interface SearchThread {
  readonly search: Search;
  readonly agent: Agent;
  readonly examine: Examine;
  readonly grep: Grep;
  /** Returns true when the thread runs and has finished its start. */
  isReady(): boolean;
  /** Returns the number of calls that are not answered yet. */
  waiting(): number;
  stop(): Promise<void>;
}

export function startSearchThread(options: Supervision): SearchThread {
  const waiting = new Map<number, PendingCall>();
  let calls = 0;
  let isReady = false;
  const thread = superviseThread({
    ...options,
    entry: 'search-thread',
    onMessage: (message) => handleReply(message as SearchReply),
    onDeath: async () => {
      isReady = false;
      for (const call of waiting.values())
        call.reject(unavailable('the search was interrupted: try again', 1));
      waiting.clear();
    },
  });

  function handleReply(reply: SearchReply): void {
    if (reply === 'ready') {
      isReady = true;
      return;
    }
    const call = waiting.get(reply.id);
    if ('step' in reply) {
      call?.tell?.(reply.step);
      return;
    }
    waiting.delete(reply.id);
    if ('answer' in reply) call?.resolve(reply.answer);
    else call?.reject(toError(reply.error));
  }

  /** The type of the answer is not checked, because the thread answers each kind of call with its kind of answer. */
  function ask<Answer extends ThreadAnswer>(
    question: ThreadRequest,
    signal: AbortSignal,
    tell?: PendingCall['tell'],
  ): Promise<Answer> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (waiting.size >= MAX_WAITING)
      return Promise.reject(unavailable('too many searches are waiting: try again', 1));
    const id = calls++;
    const call = { ...Promise.withResolvers<ThreadAnswer>(), tell };
    if (!thread.send({ id, ...question }))
      return Promise.reject(unavailable('the search is starting again: try again', 1));
    waiting.set(id, call);
    const stop = () => {
      if (!waiting.delete(id)) return;
      thread.send({ cancel: id });
      call.reject(signal.reason);
    };
    signal.addEventListener('abort', stop, { once: true });
    return (call.promise as Promise<Answer>).finally(() =>
      signal.removeEventListener('abort', stop),
    );
  }

  return {
    search: { search: (request, signal) => ask({ request }, signal) },
    agent: { run: (agentic, tell, signal) => ask({ agentic }, signal, tell) },
    examine: (examine, signal) => ask({ examine }, signal),
    grep: (grep, signal) => ask({ grep }, signal),
    isReady: () => isReady,
    waiting: () => waiting.size,
    stop: () => thread.stop(),
  };
}
