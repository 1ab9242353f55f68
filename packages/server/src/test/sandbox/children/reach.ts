/** This transformer looks for the thread that watches its memory. */
import { EventEmitter, once } from 'node:events';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { MessagePort } from 'node:worker_threads';

const MEGABYTES = 1024 * 1024;

const found = new Set<string>();
const { emit } = EventEmitter.prototype;
EventEmitter.prototype.emit = function (event, ...values) {
  if (this.constructor.name === 'Worker') found.add(`the thread, by its event ${String(event)}`);
  return emit.call(this, event, ...values);
};

/** Returns the ways in which it found the thread. */
export async function reach(_entities: unknown, _config: unknown): Promise<string[]> {
  const { unpipe } = Readable.prototype;
  Readable.prototype.unpipe = function () {
    const values = Object.getOwnPropertySymbols(this).map((key) => Reflect.get(this, key));
    if (values.some((value) => value instanceof MessagePort)) found.add('its port, by a stream');
    return this;
  };
  for (const stream of [process.stdout, process.stderr]) stream?.emit('close');
  Readable.prototype.unpipe = unpipe;
  await setTimeout(500);
  return [...found];
}

/** Uses more memory outside the heap than is allowed. */
export async function hold(_entities: unknown, { megabytes }: { megabytes: number }) {
  const held: Buffer[] = [];
  for (let taken = 0; taken < megabytes; taken += 64) {
    held.push(Buffer.alloc(64 * MEGABYTES, 1));
    await once(AbortSignal.timeout(20), 'abort');
  }
  return [{ held: held.length }];
}
