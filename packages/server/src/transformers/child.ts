/** Runs the functions of transformers, one call at a time, in a limited process. */
import { pathToFileURL } from 'node:url';
import { types } from 'node:util';
import { serve } from '../sandbox/serve.ts';
import type { FunctionOutcome, FunctionRequest } from './protocol.ts';

/** A call may return this many characters of JSON. */
const MAX_RETURNED = 32_000_000;
const SHOWN_CHARACTERS = 300;

const AsyncFunction = (async () => {}).constructor;
const { stringify } = JSON;

async function work({ module, method, call }: FunctionRequest): Promise<FunctionOutcome> {
  let found: unknown;
  try {
    found = (await import(pathToFileURL(module).href))[method];
  } catch (error) {
    return broken(`the module cannot be loaded: ${messageOf(error)}`);
  }
  if (!isTransformerFunction(found))
    return broken(
      `${method} is not an exported async function of the module that takes exactly two parameters`,
    );
  if (call === null) return { is: 'callable' };
  try {
    const returned = await found(call.entities, call.config);
    if (!Array.isArray(returned)) return broken('it did not return a list');
    const json = stringify(returned);
    return json.length > MAX_RETURNED
      ? broken(`it returned more than ${MAX_RETURNED / 1_000_000} million characters`)
      : { is: 'returned', json };
  } catch (error) {
    // An error that the function throws concerns only the entities of this call.
    return broken(`it threw: ${messageOf(error)}`);
  }
}

type TransformerFunction = (entities: unknown, config: unknown) => Promise<unknown>;

const isTransformerFunction = (value: unknown): value is TransformerFunction =>
  typeof value === 'function' &&
  value.length === 2 &&
  (types.isAsyncFunction(value) || value instanceof AsyncFunction);

const broken = (reason: string): FunctionOutcome => ({ is: 'broken', reason });

function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error).slice(0, SHOWN_CHARACTERS);
  } catch {
    // The thrown value cannot be turned into a text: its conversion throws an error too.
    return 'something that cannot be shown';
  }
}

await serve(work);
