/**
 * A queue before work that takes long, such as searches. So many calls run at once; the others wait here, where they
 * cost no more than their request and can be cancelled. The queue holds these rules:
 *
 * - Callers take turns, and so do the collections of a caller. One caller, or one collection, cannot take all places.
 * - Every call has a deadline, which begins when it comes. A call that could not end before its deadline is refused at
 *   once, or as soon as that is clear, and never begins. How long a wait takes is measured (pace.ts).
 * - A refusal is a 503 whose Retry-After is the time after which the queue will be short enough, and at most the
 *   deadline. A caller who has too many calls waiting gets a 429.
 */
import { AppError, unavailable } from '../errors.ts';
import { createPace } from './pace.ts';

export interface FairQueueLimits {
  /** Returns how many calls of all callers may run now. */
  readonly places: () => number;
  /** One caller may have this many calls running, and this many further ones waiting. */
  readonly caller: { readonly atOnce: number; readonly waiting: number };
  /** The bodies of all waiting calls together may have this many bytes. */
  readonly waitingBytes?: number;
  /** The deadline of each call, in milliseconds from its coming. */
  readonly deadlineMs: number;
}

export interface QueuedCall {
  /** It identifies the caller: a key or a person. */
  readonly caller: string;
  readonly collections: readonly string[];
  /** The call keeps this many bytes of a body in memory while it waits. */
  readonly bytes?: number;
  /** The call ends when this signal aborts. */
  readonly signal: AbortSignal;
  /**
   * Makes the error of a call that ran until its deadline, and is stopped then. Without it, the call may run beyond its
   * deadline, but has to begin before it.
   */
  readonly late?: (waitedMs: number) => Error;
}

export interface FairQueue {
  /** Returns how many calls wait and have not begun. */
  waiting(): number;
  run<T>(call: QueuedCall, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

/** One collection may take this share of the places. */
const COLLECTION_SHARE = 3 / 4;
/** The waiting calls of all callers together are limited to this number. */
const MAX_WAITING = 4000;

interface WaitingCall extends QueuedCall {
  readonly cameAt: number;
  readonly begin: () => void;
  readonly refuse: (error: Error) => void;
}

/** The calls of a caller, or of a collection, that have not ended. */
interface UnfinishedCalls {
  calls: number;
  running: number;
  /** The number of the turn in which one of them began last. Who is new stands just before whoever had the last turn. */
  lastTurn: number;
}

export function createFairQueue({
  places,
  caller: limits,
  waitingBytes = Number.POSITIVE_INFINITY,
  deadlineMs,
}: FairQueueLimits): FairQueue {
  const pace = createPace();
  const callers = new Map<string, UnfinishedCalls>();
  const collections = new Map<string, UnfinishedCalls>();
  /** The waiting calls of each caller, in the order in which they came. */
  const waiting = new Map<string, WaitingCall[]>();
  let waitingCalls = 0;
  let keptBytes = 0;
  let running = 0;
  /** This is the number of running calls that have a deadline. */
  let bounded = 0;
  let turn = 0;

  /** Returns the caller and the collections of a call. */
  const countsOf = (call: QueuedCall): UnfinishedCalls[] => [
    callers.get(call.caller)!,
    ...call.collections.map((id) => collections.get(id)!),
  ];

  function enter(call: QueuedCall): void {
    const add = (to: Map<string, UnfinishedCalls>, key: string) => {
      const entry = to.get(key) ?? { calls: 0, running: 0, lastTurn: turn - 0.5 };
      entry.calls++;
      to.set(key, entry);
    };
    add(callers, call.caller);
    for (const id of call.collections) add(collections, id);
  }

  function leave(call: QueuedCall): void {
    const remove = (from: Map<string, UnfinishedCalls>, key: string) => {
      const entry = from.get(key)!;
      if (--entry.calls === 0) from.delete(key);
    };
    remove(callers, call.caller);
    for (const id of call.collections) remove(collections, id);
  }

  function hasPlace(call: QueuedCall): boolean {
    if (running >= places()) return false;
    const most = Math.max(1, Math.floor(places() * COLLECTION_SHARE));
    return (
      callers.get(call.caller)!.running < limits.atOnce &&
      call.collections.every((id) => collections.get(id)!.running < most)
    );
  }

  /** Returns how many calls end before a further call of the caller: those that run, and those that begin earlier. */
  function ahead(caller: string): number {
    const own = waiting.get(caller)?.length ?? 0;
    let count = running;
    for (const calls of waiting.values()) count += Math.min(calls.length, own + 1);
    return count;
  }

  /** Returns how much too long the queue is for a further call of the caller, in milliseconds. */
  const excess = (call: QueuedCall): number =>
    timeFor(ahead(call.caller), call) + pace.timeOfOne() - deadlineMs;

  const timeFor = (calls: number, { late }: QueuedCall) => pace.timeFor(calls, late !== undefined);

  const refusal = (message: string, call: QueuedCall): AppError =>
    unavailable(`${message}: try again later`, retryAfter(excess(call)));

  /** Returns seconds. Each call that waits now has begun or is refused after the deadline. */
  const retryAfter = (ms: number): number => Math.max(1, Math.min(ms, deadlineMs) / 1000);

  function refuseTooMany(call: QueuedCall): void {
    if ((waiting.get(call.caller)?.length ?? 0) >= limits.waiting)
      throw new AppError(
        429,
        `${limits.waiting} requests of this caller wait already: send fewer at once`,
        { code: 'too_many_requests', retryAfter: retryAfter(timeFor(1, call)) },
      );
    if (waitingCalls >= MAX_WAITING || keptBytes + (call.bytes ?? 0) > waitingBytes)
      throw refusal('too many requests are waiting', call);
    if (excess(call) > 0)
      throw refusal(
        `so many requests are waiting that this one could not end within ${deadlineMs / 1000} s, and it was not begun`,
        call,
      );
  }

  /** Resolves when the call may begin. */
  function wait(call: QueuedCall, cameAt: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const mine: WaitingCall = { ...call, cameAt, begin: resolve, refuse: reject };
    const line = waiting.get(call.caller) ?? [];
    waiting.set(call.caller, line);
    line.push(mine);
    waitingCalls++;
    keptBytes += call.bytes ?? 0;
    const giveUp = (error: Error) => {
      if (remove(mine)) reject(error);
    };
    const timer = setTimeout(() => giveUp(waited(call)), deadlineMs).unref();
    const stop = () => giveUp(call.signal.reason);
    call.signal.addEventListener('abort', stop, { once: true });
    return promise.finally(() => {
      clearTimeout(timer);
      call.signal.removeEventListener('abort', stop);
    });
  }

  const waited = (call: QueuedCall) =>
    refusal(
      'the request waited for others until too little time was left, and was not begun',
      call,
    );

  function remove(call: WaitingCall): boolean {
    const line = waiting.get(call.caller) ?? [];
    const at = line.indexOf(call);
    if (at < 0) return false;
    line.splice(at, 1);
    waitingCalls--;
    keptBytes -= call.bytes ?? 0;
    if (line.length === 0) waiting.delete(call.caller);
    return true;
  }

  /** Returns the call whose turn is next: of the caller whose last turn is the oldest one. */
  function next(): WaitingCall | undefined {
    if (running >= places()) return undefined;
    let best: WaitingCall | undefined;
    let oldest = Number.POSITIVE_INFINITY;
    for (const [caller, line] of waiting) {
      const { lastTurn } = callers.get(caller)!;
      if (lastTurn >= oldest) continue;
      const call = nextOf(line);
      if (!call) continue;
      best = call;
      oldest = lastTurn;
    }
    return best;
  }

  /** Returns the call of a caller whose collections had their last turn before those of the others. */
  function nextOf(line: readonly WaitingCall[]): WaitingCall | undefined {
    let best: WaitingCall | undefined;
    let oldest = Number.POSITIVE_INFINITY;
    for (const call of line) {
      const lastTurn = Math.max(...call.collections.map((id) => collections.get(id)!.lastTurn));
      if (lastTurn >= oldest || !hasPlace(call)) continue;
      best = call;
      oldest = lastTurn;
    }
    return best;
  }

  function beginNext(): void {
    for (let call = next(); call; call = next()) {
      remove(call);
      const left = deadlineMs - (performance.now() - call.cameAt);
      if (call.late && left < pace.timeOfOne()) call.refuse(waited(call));
      else {
        take(call);
        call.begin();
      }
    }
  }

  function take(call: QueuedCall): void {
    running++;
    if (call.late) bounded++;
    turn++;
    for (const count of countsOf(call)) {
      count.running++;
      count.lastTurn = turn;
    }
  }

  async function work<T>(
    call: QueuedCall,
    cameAt: number,
    start: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const beganAt = performance.now();
    const { late } = call;
    const ofItsKind = () => (late ? bounded : running - bounded);
    const before = ofItsKind();
    const timeout = new AbortController();
    const timer =
      late &&
      setTimeout(
        () => timeout.abort(late(beganAt - cameAt)),
        Math.max(0, Math.ceil(deadlineMs - (beganAt - cameAt))),
      ).unref();
    try {
      return await start(late ? AbortSignal.any([call.signal, timeout.signal]) : call.signal);
    } finally {
      clearTimeout(timer);
      const tookMs = performance.now() - beganAt;
      const atOnce = (before + ofItsKind()) / 2;
      pace.note(tookMs, { atOnce, hasDeadline: late !== undefined });
      running--;
      if (late) bounded--;
      for (const count of countsOf(call)) count.running--;
    }
  }

  return {
    waiting: () => waitingCalls,
    async run(call, start) {
      call.signal.throwIfAborted();
      const cameAt = performance.now();
      enter(call);
      try {
        // There may be more places than when the last call ended.
        beginNext();
        if (hasPlace(call)) take(call);
        else {
          refuseTooMany(call);
          await wait(call, cameAt);
        }
        return await work(call, cameAt, start);
      } finally {
        leave(call);
        beginNext();
      }
    },
  };
}
