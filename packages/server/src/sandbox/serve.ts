/** This is the child's side of a limited process: it answers requests, one at a time, until its parent is gone. */
import { Socket } from 'node:net';
import { ANSWERS, frame, incoming } from './frames.ts';
import { watching } from './watchdog.ts';

interface MemoryUse {
  /** `rss` is the memory that the child holds after its work, in bytes. */
  readonly rss: number;
}

/**
 * `bytes` reads the bytes that follow the request, and the work must read all of them. An error
 * that it throws ends the process.
 */
type Work<Request> = (
  request: Request,
  bytes: (size: number) => Promise<Uint8Array>,
) => Promise<object>;

export async function serve<Request>(work: Work<Request>): Promise<void> {
  const requests = incoming(process.stdin);
  const answers = new Socket({ fd: ANSWERS, readable: false });
  const rss = process.memoryUsage.rss.bind(process.memoryUsage);
  const bytes = async (size: number) => (await requests.bytes(size)) ?? process.exit();
  await watching;
  // The first message tells the parent that the child is ready.
  for (let answer: object = {}; ; ) {
    answers.write(frame({ ...answer, rss: rss() } satisfies MemoryUse));
    const request = await requests.message(Number.POSITIVE_INFINITY);
    if (request === null) process.exit();
    answer = await work(request as Request, bytes);
  }
}
