/**
 * Asks the API of a running Airweave. Limits and failures that may pass are waited out, within bounds; everything else is
 * an Error with a message for users. No message repeats the key.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { shown } from '../../errors.ts';
import { sendUnchecked } from '../../net/guarded-send.ts';
import { RequestFailure, readJson, request, type TextAnswer } from '../../net/request.ts';
import { retryAfterOf } from '../../net/retry-after.ts';
import { isSendable } from '../../sign-in/token-endpoint.ts';

const ANSWER_MS = 60_000;
const MAX_BYTES = 32 * 2 ** 20;
const PAGE = 100;
const TRIES = 5;
const FIRST_PAUSE_S = 0.5;
/** Who is asked to wait longer learns it at once, and runs the command again later. */
const MAX_PAUSE_S = 120;

const EXAMPLES = 'https://api.airweave.ai, or http://localhost:8001 for your own';
const Refusal = z.object({ detail: z.string() });

export interface AirweaveApi {
  /** Returns undefined when the thing, or the list, does not exist. */
  get<T>(path: string, schema: z.ZodType<T>): Promise<T | undefined>;
  /** Returns all items of a list that has pages. */
  list<T extends { readonly id: string }>(path: string, schema: z.ZodType<T>): Promise<T[]>;
}

/** Returns the address without what follows the path. Throws an Error with a message for users for another text. */
export function airweaveAddress(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new Error(
      `'${shown(text)}' is not an address: give that of Airweave's API, such as ${EXAMPLES}`,
    );
  if (url.username || url.password)
    throw new Error('leave user and password out of the address: the key is enough');
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** `tell` shows a person why the command waits. */
export function openAirweave(
  address: string,
  key: string,
  tell: (text: string) => void,
): AirweaveApi {
  if (!isSendable(key))
    throw new Error('the key of Airweave has characters that cannot be sent: copy it again');
  let hasAnswered = false;

  async function ask(path: string): Promise<TextAnswer> {
    for (let tried = 1; ; tried++) {
      const answer = await send(path);
      const pause = pauseAfter(answer, tried);
      if (pause === undefined) {
        if (answer instanceof RequestFailure) throw unreachable(answer);
        return answer;
      }
      tell(
        `Airweave ${pause.why}: the next try of GET ${path} comes in ${Math.ceil(pause.seconds)} s`,
      );
      await sleep(pause.seconds * 1000);
    }
  }

  async function send(path: string): Promise<TextAnswer | RequestFailure> {
    try {
      const answer = await request(sendUnchecked, new URL(`${address}${path}`), {
        headers: { 'x-api-key': key, accept: 'application/json' },
        body: null,
        signal: new AbortController().signal,
        deadlineMs: ANSWER_MS,
        maxBytes: MAX_BYTES,
        redirects: 3,
      });
      hasAnswered = true;
      return answer;
    } catch (error) {
      if (error instanceof RequestFailure) return error;
      throw error;
    }
  }

  /** Returns undefined when trying again would not help, or has been tried often enough. */
  function pauseAfter(answer: TextAnswer | RequestFailure, tried: number) {
    if (tried === TRIES) return undefined;
    const seconds = FIRST_PAUSE_S * 2 ** (tried - 1);
    if (answer instanceof RequestFailure)
      // An address at which nothing has ever answered is probably wrong.
      return hasAnswered && ['late', 'broken'].includes(answer.fault)
        ? { seconds, why: `has not answered (${answer.message})` }
        : undefined;
    if (answer.status >= 500) return { seconds, why: `has answered ${answer.status}` };
    if (answer.status !== 429) return undefined;
    const asked = retryAfterOf(answer.headers, Date.now()) ?? seconds;
    return asked <= MAX_PAUSE_S
      ? { seconds: asked, why: 'takes no more requests for now' }
      : undefined;
  }

  const unreachable = (failure: RequestFailure) =>
    new Error(
      hasAnswered
        ? `Airweave at ${address} does not answer any more (${failure.message}). Nothing was imported: run the command again`
        : `no Airweave answers at ${address} (${failure.message}): check the address, and whether it runs`,
      { cause: failure },
    );

  const strange = (what: string) =>
    new Error(
      `the server at ${address} does not answer as Airweave's API does (${what}): give the address of the API, and not that of its dashboard, such as ${EXAMPLES}`,
    );

  function refusalOf(path: string, { status, headers, text }: TextAnswer): Error {
    if (status === 401 || status === 403)
      return new Error(
        `Airweave refuses the key (${detailOf(text, status)}): give one of 'API Keys' in its dashboard`,
      );
    if (status === 429)
      return new Error(
        `Airweave takes no more requests for ${Math.ceil(retryAfterOf(headers, Date.now()) ?? MAX_PAUSE_S)} s. Nothing was imported: run the command again then`,
      );
    if (status >= 500)
      return new Error(
        `Airweave has answered ${status} to GET ${path} ${TRIES} times (${detailOf(text, status)}). Nothing was imported: look into its log, and run the command again`,
      );
    return strange(`${status} to GET ${path}`);
  }

  /** A server that repeats the key in its message must not bring it onto the screen. */
  const detailOf = (text: string, status: number) =>
    shown((readJson(text, Refusal).value?.detail ?? `status ${status}`).replaceAll(key, '…'));

  async function get<T>(path: string, schema: z.ZodType<T>): Promise<T | undefined> {
    const answer = await ask(path);
    if (answer.status === 404) return undefined;
    if (answer.status >= 300) throw refusalOf(path, answer);
    const { value, failure } = readJson(answer.text, schema);
    if (failure) throw strange(`${failure.message} from GET ${path}`);
    return value;
  }

  return {
    get,
    async list<T extends { readonly id: string }>(path: string, schema: z.ZodType<T>) {
      const items = new Map<string, T>();
      for (let skip = 0; ; skip += PAGE) {
        const page = await get(`${path}?skip=${skip}&limit=${PAGE}`, z.array(schema));
        if (!page) throw strange(`404 to GET ${path}`);
        const before = items.size;
        for (const item of page) items.set(item.id, item);
        // A page without anything new comes from a server that does not know pages.
        if (page.length < PAGE || items.size === before) return [...items.values()];
      }
    },
  };
}
