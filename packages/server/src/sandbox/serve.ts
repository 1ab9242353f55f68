/** The child's side of a limited process: answers requests, one at a time, until its parent is gone. */
import { Socket } from 'node:net';
import { ANSWERS, frame, incoming } from './frames.ts';
import { watching } from './watchdog.ts';

interface MemoryUse {
  /** Bytes that the child holds after its work. */
  readonly rss: number;
}

/** `bytes` reads what follows the request, which must be read. Whatever is thrown ends the process. */
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
  // The first message says that it is ready.
  for (let answer: object = {}; ; ) {
    answers.write(frame({ ...answer, rss: rss() } satisfies MemoryUse));
    const request = await requests.message(Number.POSITIVE_INFINITY);
    if (request === null) process.exit();
    answer = await work(request as Request, bytes);
  }
}
