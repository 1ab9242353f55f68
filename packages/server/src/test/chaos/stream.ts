/** Follows jobs by their streams of events. A stream that breaks is opened again, which the proxy leads to another process. */
import { setTimeout as sleep } from 'node:timers/promises';
import { TEST_KEY } from '../e2e/process.ts';

export interface Followed {
  /** It is how often the stream was opened. */
  readonly streams: number;
  /** It is true when the last stream has said that the job is done. */
  readonly isDone: boolean;
}

/** Follows the job until a stream says that it is done, or until the signal aborts. */
export async function followJob(url: string, signal: AbortSignal): Promise<Followed> {
  for (let streams = 1; ; streams++) {
    const last = await lastEvent(url, signal);
    if (last === 'done' || signal.aborted) return { streams, isDone: last === 'done' };
    await sleep(100);
  }
}

/** Returns the type of the last event of one stream, or undefined when there was none. */
async function lastEvent(url: string, signal: AbortSignal): Promise<string | undefined> {
  let text = '';
  try {
    const headers = { authorization: `Bearer ${TEST_KEY}` };
    const response = await fetch(url, { headers, signal });
    if (response.status !== 200) return undefined;
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? [])
      text += part;
  } catch {
    // The process that sent the events has died, or nobody could be reached. The caller opens another stream.
  }
  const types = [...text.matchAll(/^data: (.*)$/gm)].map(([, json = '']) => JSON.parse(json).type);
  return types.at(-1);
}
