/**
 * Runs the functions of transformers, one call at a time, in a process that may do nothing else.
 *
 * The permission model of Node stops files, programs and native code. It does not stop signals, and it
 * lets threads be started, in which what is taken away here would be there again: so both go before any
 * foreign code is loaded.
 */
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { pathToFileURL } from 'node:url';
import { types } from 'node:util';
import { READY } from '../sandbox/protocol.ts';
import type { Answer, Outcome, Request } from './protocol.ts';

/** Characters of JSON that a call may return. */
const MOST_RETURNED = 32_000_000;
const SHOWN = 300;

const send = process.send?.bind(process);
const memory = process.memoryUsage.rss.bind(process.memoryUsage);
const AsyncFunction = (async () => {}).constructor;
const { stringify } = JSON;

process.on('disconnect', () => process.exit());
process.on('message', async (request: Request) => {
  const answer: Answer = { ...(await work(request)), rss: memory() };
  send?.(answer);
});
disarm();
send?.(READY);

function disarm(): void {
  const without = { value: undefined, configurable: false, writable: false };
  for (const name of ['send', 'kill', '_kill', '_debugProcess', '_debugEnd', 'dlopen'])
    Object.defineProperty(process, name, without);
  const threads = createRequire(import.meta.url)('node:worker_threads');
  threads.Worker = undefined;
  syncBuiltinESMExports();
}

async function work({ module, method, call }: Request): Promise<Outcome> {
  let found: unknown;
  try {
    found = (await import(pathToFileURL(module).href))[method];
  } catch (error) {
    return broken(`the module cannot be loaded: ${said(error)}`);
  }
  if (!isFitting(found))
    return broken(
      `${method} is no exported async function of the module that takes exactly two parameters`,
    );
  if (call === null) return { is: 'callable' };
  try {
    const returned = await found(call.entities, call.config);
    if (!Array.isArray(returned)) return broken('it returned no list');
    const json = stringify(returned);
    return json.length > MOST_RETURNED
      ? broken(`it returned more than ${MOST_RETURNED / 1_000_000} million characters`)
      : { is: 'returned', json };
  } catch (error) {
    // Whatever it throws concerns the entities of this call alone.
    return broken(`it threw: ${said(error)}`);
  }
}

type Fitting = (entities: unknown, config: unknown) => Promise<unknown>;

const isFitting = (value: unknown): value is Fitting =>
  typeof value === 'function' &&
  value.length === 2 &&
  (types.isAsyncFunction(value) || value instanceof AsyncFunction);

const broken = (reason: string): Outcome => ({ is: 'broken', reason });

function said(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error).slice(0, SHOWN);
  } catch {
    // It throws something that throws again when it is asked what it is.
    return 'something that cannot be shown';
  }
}
