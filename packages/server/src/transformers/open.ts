/** Makes the transformers of a connection ready for a job. */
import type { Db } from '../db/schema.ts';
import type { Source } from '../sources/define.ts';
import { definitionIdsOf } from '../sources/definitions.ts';
import { type Chain, createChain } from './chain.ts';
import { createFunctions } from './functions.ts';
import { missingStep, ownStep } from './own-step.ts';
import type { Configured } from './schema.ts';
import * as store from './store.ts';
import { systemStep, systemTransformers } from './system.ts';

/** These settings say how functions of modules run. */
export interface TransformerRuntime {
  /** The folder is the value of QUARRY_TRANSFORMERS_DIR. */
  readonly folder: string | undefined;
  readonly timeoutMs: number;
  readonly memoryMb: number;
}

interface ChainOptions {
  readonly configured: readonly Configured[];
  readonly source: Source;
  readonly runtime: TransformerRuntime;
}

export async function openChain(
  db: Db,
  organizationId: string,
  { configured, source, runtime }: ChainOptions,
): Promise<Chain> {
  const own = configured
    .map((one) => one.transformer_id)
    .filter((id) => !systemTransformers.has(id));
  const rows = await store.byIds(db, organizationId, own);
  const { folder } = runtime;
  const functions =
    rows.size > 0 && folder !== undefined ? createFunctions({ ...runtime, folder }) : null;
  const definitionOf = definitionIdsOf(source);
  const steps = await Promise.all(
    configured.map(({ transformer_id: id, config }) => {
      const system = systemTransformers.get(id);
      if (system) return systemStep(system, config);
      const row = rows.get(id);
      return row
        ? ownStep(row, config, { source, definitionOf, folder, functions })
        : missingStep(id);
    }),
  );
  return createChain(steps, definitionOf, async () => functions?.close());
}
