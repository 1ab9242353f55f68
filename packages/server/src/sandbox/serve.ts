/** This code runs in a limited process. It answers requests, one at a time, until the parent process has ended. */
import { Socket } from 'node:net';
import { ANSWERS_FD, frame, incoming, PROGRESS } from './frames.ts';
import { watching } from './watchdog.ts';

interface MemoryUse {
  /** `rss` is the memory that the process uses after the request, in bytes. */
  readonly rss: number;
}

/**
 * `bytes(size)` reads the next `size` bytes that follow the request. The work must read all bytes that belong to its
 * request, because the next request begins after them. `onProgress` tells the parent that the work goes on, for which
 * the parent may wait longer (`longestMs`). When the work throws an error, the process ends.
 */
type Work<Request> = (
  request: Request,
  bytes: (size: number) => Promise<Uint8Array>,
  onProgress: () => void,
) => Promise<object>;

export async function serve<Request>(work: Work<Request>): Promise<void> {
  const requests = incoming(process.stdin);
  const answers = new Socket({ fd: ANSWERS_FD, readable: false });
  const rss = process.memoryUsage.rss.bind(process.memoryUsage);
  const bytes = async (size: number) => (await requests.bytes(size)) ?? process.exit();
  const onProgress = () => void answers.write(frame(PROGRESS));
  await watching;
  // The first message, which answers no request, tells the parent that the process is ready.
  for (let answer: object = {}; ; ) {
    answers.write(frame({ ...answer, rss: rss() } satisfies MemoryUse));
    const request = await requests.message(Number.POSITIVE_INFINITY);
    if (request === null) process.exit();
    answer = await work(request as Request, bytes, onProgress);
  }
}
