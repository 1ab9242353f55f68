/**
 * Calls the functions of modules. All functions of a job share one limited process, which starts with the first call.
 */
import { fileURLToPath } from 'node:url';
import { codeFolder, moduleFile, packageFile } from '../installation.ts';
import { createLimitedProcess } from '../sandbox/limited-process.ts';
import { ProcessBroke } from '../sandbox/process-broke.ts';
import { FunctionOutcome, type FunctionRequest } from './protocol.ts';
import { readableIn } from './readable.ts';

export interface FunctionLimits {
  /** The process may read this folder, which holds the modules. */
  readonly folder: string;
  readonly timeoutMs: number;
  readonly memoryMb: number;
}

/** This error says why the call gave no result. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
  /** If true, the failure ended the process or took all the time that a call may take. */
  readonly isCostly: boolean;

  constructor(message: string, isCostly = false, cause?: unknown) {
    super(message, { cause });
    this.isCostly = isCostly;
  }
}

export type Functions = ReturnType<typeof createFunctions>;

const CALLS_PER_PROCESS = 1000;

export function createFunctions({ folder, timeoutMs, memoryMb }: FunctionLimits) {
  const limited = createLimitedProcess<FunctionRequest, FunctionOutcome>({
    outcome: FunctionOutcome,
    entry: moduleFile('transformers/child'),
    readable: async () => [
      fileURLToPath(codeFolder('transformers/')),
      fileURLToPath(codeFolder('sandbox/')),
      fileURLToPath(packageFile('package.json')),
      ...(await readableIn(folder)),
    ],
    timeoutMs,
    memoryMb,
    mayConnect: true,
    requestsPerProcess: CALLS_PER_PROCESS,
  });

  async function ask(request: FunctionRequest, signal: AbortSignal): Promise<FunctionOutcome> {
    try {
      return await limited.run(request, signal);
    } catch (error) {
      if (!(error instanceof ProcessBroke)) throw error;
      const isLimit = error.by === 'time' || error.by === 'memory';
      const what = `${isLimit ? 'it' : 'its process'} ${error.message}`;
      throw new CallFailed(what, true, error);
    }
  }

  return {
    /** Throws CallFailed when the module cannot be loaded or does not have the function. */
    async requireFunction(module: string, method: string, signal: AbortSignal): Promise<void> {
      const answer = await ask({ module, method, call: null }, signal);
      if (answer.is === 'broken') throw new CallFailed(answer.reason);
    },

    /** Returns the list that the function returned; its items are not checked yet. Throws CallFailed. */
    async call(
      { module, method }: { readonly module: string; readonly method: string },
      { entities, config }: { readonly entities: readonly unknown[]; readonly config: unknown },
      signal: AbortSignal,
    ): Promise<unknown[]> {
      const answer = await ask({ module, method, call: { entities, config } }, signal);
      if (answer.is === 'broken') throw new CallFailed(answer.reason);
      // The code of the child process never sends another answer to a call, so the function itself must have written
      // this one.
      if (answer.is !== 'returned')
        throw new CallFailed('its process gave an answer that cannot be used');
      return listOf(answer.json);
    },

    close: () => limited.close(),
  };
}

/** The text comes from code that is not ours, so its form is checked. */
function listOf(json: string): unknown[] {
  try {
    const list: unknown = JSON.parse(json);
    if (Array.isArray(list)) return list;
  } catch (error) {
    throw new CallFailed('it did not return JSON', false, error);
  }
  throw new CallFailed('it did not return a list');
}
