/**
 * Finds the connections whose stored configurations of a transformer do not satisfy a new schema of that transformer.
 */
import { setImmediate } from 'node:timers/promises';
import { shown } from '../errors.ts';
import { canonicalJson, sha256 } from '../model/hash.ts';
import { compileSchema, explainFaults } from './config-schema.ts';
import type { Configured } from './schema.ts';

const MAX_NAMED = 10;

export interface ConfiguredConnection {
  /** This is the name of the connection. */
  readonly name: string;
  readonly transformers: readonly Configured[];
}

interface Misfit {
  readonly name: string;
  readonly sentence: string;
}

/**
 * Returns a function that finds misfits. It stops when it has found one more than a message names. It does not check
 * again a configuration that has satisfied the schema once, so that a second call, inside a transaction, checks only
 * the configurations that have changed since the first call.
 */
export function createFit(transformerId: string, schema: Readonly<Record<string, unknown>>) {
  const faultsOf = compileSchema(schema);
  const fitting = new Set<string>();

  async function misfitOf({ name, transformers }: ConfiguredConnection): Promise<Misfit | null> {
    for (const { transformer_id, config } of transformers) {
      if (transformer_id !== transformerId) continue;
      const hash = sha256(canonicalJson(config));
      if (fitting.has(hash)) continue;
      // A check may occupy this thread for a second, so other work gets its turn before each check.
      await setImmediate();
      const faults = faultsOf(config);
      if (faults.length > 0) return { name, sentence: explainFaults(faults) };
      fitting.add(hash);
    }
    return null;
  }

  return async (
    pages: AsyncIterable<readonly ConfiguredConnection[]>,
    signal: AbortSignal,
  ): Promise<readonly Misfit[]> => {
    const misfits: Misfit[] = [];
    for await (const users of pages)
      for (const user of users) {
        signal.throwIfAborted();
        const misfit = await misfitOf(user);
        if (misfit) misfits.push(misfit);
        if (misfits.length > MAX_NAMED) return misfits;
      }
    return misfits;
  };
}

export function describeMisfits(misfits: readonly Misfit[]): string {
  const named = misfits
    .slice(0, MAX_NAMED)
    .map(({ name, sentence }) => `'${name}' (${shown(sentence)})`);
  const others = misfits.length > MAX_NAMED ? ' and others' : '';
  return (
    `config_schema does not fit what these source connections have configured: ${named.join(', ')}${others}. ` +
    'Let the schema allow that as well, or create another transformer and use it there'
  );
}
