/** This is the entry of a thread that makes chunks with the built-in model, for the worker thread. */
import { parentPort, workerData } from 'node:worker_threads';
import { createBuiltinEmbedder } from '../engines/embedder/builtin.ts';
import { makeChunks } from '../syncs/pipeline/chunks.ts';
import { must } from '../util.ts';
import { type ChunkCall, type ChunkReply, packed } from './chunk-messages.ts';
import { giveWay } from './priority.ts';
import type { ThreadData } from './protocol.ts';
import { createThreadLog } from './thread-log.ts';

/** Requests and the commits of the worker come first. */
const STEPS = 4;
const data = workerData as ThreadData;
const port = must(parentPort, 'this file is the entry of a thread');
const embedder = createBuiltinEmbedder({ model: data.model });
const { signal } = new AbortController();
giveWay(STEPS, createThreadLog(data, port));

port.on('message', async ({ id, entities }: ChunkCall) => {
  const reply: ChunkReply = await makeChunks(entities, { embedder, signal }).then(
    (chunks) => ({ id, chunks: packed(chunks) }),
    (error: unknown) => ({ id, error }),
  );
  port.postMessage(reply);
});
