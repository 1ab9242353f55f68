/** `quarry ask` asks a question, shows the steps of the search, and prints an answer that names its sources. */
import type { z } from 'zod';
import { stepLine } from '#quarry-text/steps';
import type { Config } from '../../config.ts';
import type { AgenticAnswer, AgenticEvent } from '../../search/agent/schema.ts';
import { collectionPath, findCollection } from '../find.ts';
import { INTERRUPTED } from '../follow-sync.ts';
import { liveLine } from '../live-line.ts';
import { find } from '../search/search.ts';
import { runningService, type ServiceClient } from '../service-client.ts';
import { answerText } from './answer-text.ts';

export interface AskFlags {
  readonly collection?: string;
  readonly mode: 'thinking' | 'fast';
  readonly json?: boolean;
}

/** Returns the exit code: 1 when nothing is found, and 130 after Ctrl-C. */
export async function ask(
  config: Config,
  query: string,
  { collection, mode, json = false }: AskFlags,
): Promise<number> {
  const service = runningService(config);
  const readableId = collection
    ? (await findCollection(service, collection)).readable_id
    : await bestCollection(service, query);
  if (readableId === undefined) {
    process.stdout.write(json ? 'null\n' : `Nothing is found for '${query}'.\n`);
    return 1;
  }
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  process.once('SIGINT', interrupt);
  try {
    const answer = await watch(service, { readableId, body: { query, mode }, signal: stop.signal });
    process.stdout.write(
      json
        ? `${JSON.stringify(answer, null, 2)}\n`
        : answerText(answer, { collection: readableId }),
    );
    return answer.results.length > 0 ? 0 : 1;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    return INTERRUPTED;
  } finally {
    process.off('SIGINT', interrupt);
  }
}

/** A question goes to one collection. Returns that of the best result of a search over all, or undefined without a result. */
async function bestCollection(service: ServiceClient, query: string): Promise<string | undefined> {
  const { results } = await find(service, { query, collection: undefined, limit: 1 });
  return results[0]?.collection?.readable_id;
}

interface AskedQuestion {
  readonly readableId: string;
  readonly body: { readonly query: string; readonly mode: string };
  readonly signal: AbortSignal;
}

/** Shows each step on standard error while the search runs. */
async function watch(
  service: ServiceClient,
  { readableId, body, signal }: AskedQuestion,
): Promise<AgenticAnswer> {
  const line = liveLine(process.stderr);
  try {
    const path = `${collectionPath(readableId)}/agentic-search/stream`;
    for await (const event of service.events<z.infer<typeof AgenticEvent>>(path, signal, body)) {
      if (event.type === 'error') throw new Error(event.message);
      if (event.type === 'done') return event;
      line.show(stepLine(event));
    }
    throw new Error('the answer has ended before its end: ask again');
  } finally {
    line.clear();
  }
}
