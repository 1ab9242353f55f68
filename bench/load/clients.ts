/** Runs clients, each of which sends its next request as soon as it has an answer, and counts what they get. */
import { setTimeout as sleep } from 'node:timers/promises';
import { mulberry32 } from '../corpus.ts';
import {
  KINDS,
  type Kind,
  type LoadTarget,
  type PlannedRequest,
  planner,
  type Shares,
} from './kinds.ts';
import { connection, type LoadAnswer } from './request.ts';

export interface Tally {
  /** The times of the answers in milliseconds. */
  readonly answered: Readonly<Record<Kind, number[]>>;
  /** The times until a request was refused with a 429 or 503 in milliseconds. */
  readonly refused: Readonly<Record<Kind, number[]>>;
  /** How many of the requests that were sent again after Retry-After were answered, and how many not. */
  readonly again: { answered: number; refused: number };
  /** Answers that are neither a success nor a refusal, and connections that broke, with their number. */
  readonly errors: Map<string, number>;
  /** Messages of the refusals, with their number. */
  readonly reasons: Map<string, number>;
  /** The entities of the acknowledged pushes. */
  readonly acknowledged: string[];
  /** The entities of the acknowledged deletions. */
  readonly deleted: string[];
}

export interface LoadOptions {
  readonly address: string;
  readonly clients: number;
  readonly seconds: number;
  /** A client waits this long in the mean before each request. */
  readonly pauseMs: number;
  readonly shares: Shares;
  readonly keys: readonly string[];
  readonly target: LoadTarget;
}

export async function runClients(options: LoadOptions): Promise<Tally> {
  const lists = () => Object.fromEntries(KINDS.map((kind) => [kind, []])) as never;
  const tally: Tally = {
    answered: lists(),
    refused: lists(),
    again: { answered: 0, refused: 0 },
    errors: new Map(),
    reasons: new Map(),
    acknowledged: [],
    deleted: [],
  };
  const endsAt = performance.now() + options.seconds * 1000;
  await Promise.all(
    Array.from({ length: options.clients }, (_, seed) =>
      runClient(options, { seed, endsAt, tally }),
    ),
  );
  return tally;
}

async function runClient(
  { address, keys, target, shares, pauseMs }: LoadOptions,
  { seed, endsAt, tally }: { seed: number; endsAt: number; tally: Tally },
): Promise<void> {
  const { send, close } = connection(address);
  const plan = planner(target, { seed, shares, key: keys[seed % keys.length]! });
  const random = mulberry32(~seed);
  // The pauses of people are distributed exponentially.
  const pause = () =>
    sleep(Math.min(-Math.log(1 - random()) * pauseMs, endsAt - performance.now()));
  while (performance.now() < endsAt) {
    if (pauseMs > 0) await pause();
    const planned = plan();
    const first = await send(planned).catch((error: unknown) => String(error));
    const wait = note(tally, planned, first);
    if (wait === undefined || performance.now() + wait > endsAt) continue;
    await sleep(wait);
    const second = await send(planned).catch((error: unknown) => String(error));
    tally.again[note(tally, planned, second) === undefined ? 'answered' : 'refused']++;
  }
  close();
}

/** Counts an answer. Returns the milliseconds that a refused client has to wait, and undefined after other answers. */
function note(
  tally: Tally,
  { kind, entityIds, deletedIds, learn }: PlannedRequest,
  answer: LoadAnswer | string,
): number | undefined {
  if (typeof answer === 'string') {
    count(tally.errors, answer);
    return undefined;
  }
  const { status, ms, text, retryAfter } = answer;
  // The tool server answers a refused call of a tool with an error within its protocol.
  const isToolError = kind === 'tool' && /"isError":true/.test(text);
  if ((status === 503 || status === 429) && retryAfter !== undefined) {
    tally.refused[kind].push(ms);
    const { detail } = JSON.parse(text) as { detail?: unknown };
    count(tally.reasons, `${status} ${String(detail ?? text).replaceAll(/\d+/g, 'n')}`);
    return retryAfter * 1000;
  }
  if (isToolError) {
    tally.refused[kind].push(ms);
    count(tally.reasons, text.slice(0, 200).replaceAll(/\d+/g, 'n'));
    return undefined;
  }
  const failure = /^data: (\{"type":"error".*)$/m.exec(text)?.[1];
  if (status >= 300 || failure !== undefined) {
    count(tally.errors, `${kind}: ${status} ${(failure ?? text).slice(0, 200)}`);
    return undefined;
  }
  tally.answered[kind].push(ms);
  tally.acknowledged.push(...entityIds);
  tally.deleted.push(...deletedIds);
  learn(text);
  return undefined;
}

const count = (counts: Map<string, number>, name: string) =>
  counts.set(name, (counts.get(name) ?? 0) + 1);
