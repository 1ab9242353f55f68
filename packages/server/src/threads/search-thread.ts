/** Entry of the search thread: answers searches on a database connection of its own. */
import { parentPort, workerData } from 'node:worker_threads';
import { connect, databaseKind } from '../db/connect.ts';
import { chooseIndex, databaseUrl } from '../engines/choose.ts';
import { createBuiltinEmbedder } from '../engines/embedder/builtin.ts';
import { createWords } from '../engines/embedder/words.ts';
import { AppError } from '../errors.ts';
import { createExamine } from '../maintenance/examine.ts';
import { createSearch } from '../search/service.ts';
import { must } from '../util.ts';
import type { CarriedError, SearchCall, SearchReply, ThreadData } from './protocol.ts';

const { config, model } = workerData as ThreadData;
const port = must(parentPort, 'this file is the entry of a thread');
const url = databaseUrl(config);
const db = connect(url);
const embedder = createBuiltinEmbedder({ model });
const index = chooseIndex(config, { db, kind: databaseKind(url), url }, embedder);
const search = createSearch({ db, index, embedder, words: createWords(model) });
const examine = createExamine({ db, index, embedder });

const running = new Map<number, AbortController>();

port.on('message', async (message: SearchCall | 'stop') => {
  if (message === 'stop') {
    await index.close();
    await db.destroy();
    port.close();
    return;
  }
  if ('cancel' in message) {
    running.get(message.cancel)?.abort();
    return;
  }
  const { id } = message;
  const controller = new AbortController();
  running.set(id, controller);
  const answering =
    'examine' in message
      ? examine(message.examine, controller.signal)
      : search.search(message.request, controller.signal);
  const reply: SearchReply = await answering.then<SearchReply, SearchReply>(
    (answer) => ({ id, answer }),
    (error: unknown) => ({ id, error: carry(error) }),
  );
  running.delete(id);
  port.postMessage(reply);
});

function carry(error: unknown): CarriedError {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  if (error instanceof AppError) {
    const { status, code, faults, retryAfter } = error;
    return { message, stack, codes: {}, app: { status, code, faults, retryAfter } };
  }
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return {
    message,
    stack,
    codes: {
      ...(typeof code === 'string' && { code }),
      ...(typeof errcode === 'number' && { errcode }),
    },
  };
}
