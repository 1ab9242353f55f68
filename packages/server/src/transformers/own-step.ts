/** A transformer of an organization is a function of a module in the operator's folder. */
import { readFile } from 'node:fs/promises';
import { canonicalJson, sha256 } from '../model/hash.ts';
import type { Source } from '../sources/define.ts';
import { shapeOf } from '../sources/definitions.ts';
import { compileSchema, explainFaults, SchemaRefused } from './config-schema.ts';
import { CallFailed, type Functions } from './functions.ts';
import { ModuleRefused, modulePath } from './module-path.ts';
import { resultsOf } from './output.ts';
import { toPushed } from './push-form.ts';
import { redactText } from './redact/text.ts';
import { type RunStep, StepFailed, type TransformStep } from './step.ts';
import type { TransformerRow } from './store.ts';

export interface StepContext {
  readonly source: Source;
  /** Returns the id of the definition of a type. */
  readonly definitionOf: (type: string) => string;
  readonly folder: string | undefined;
  readonly functions: Functions | null;
}

type StepConfig = Readonly<Record<string, unknown>>;

/** A new number stands for other entities out of the same answers, so stored records pass their functions again. */
const OUTPUT_VERSION = 2;

export async function ownStep(
  row: TransformerRow,
  config: StepConfig,
  context: StepContext,
): Promise<TransformStep> {
  const inputs = new Set(row.input_definitions);
  const outputs = new Set(row.output_definitions);
  const { code, run } = await load(row, config, context);
  const { id, name, method_name, config_schema } = row;
  const definitions = [[...inputs], [...outputs]];
  const decides = [OUTPUT_VERSION, id, code, method_name, config_schema, definitions, config];
  return {
    id,
    name,
    digest: sha256(canonicalJson(decides)),
    accepts: (definition) => inputs.has(definition),
    outputDefinitions: row.output_definitions,
    run,
  };
}

/** This step stands for a transformer that was deleted while a connection began to use it. */
export const missingStep = (id: string): TransformStep => ({
  id,
  name: id,
  digest: sha256(id),
  accepts: () => true,
  outputDefinitions: [],
  run: unable(`the transformer '${id}' does not exist`, 'Take it out of the source connection.'),
});

/** Returns a hash of the code, and the function that runs it. If the code cannot be run, each run says why. */
async function load(
  row: TransformerRow,
  config: StepConfig,
  context: StepContext,
): Promise<{ readonly code: string; readonly run: RunStep }> {
  try {
    const module = await modulePath(context.folder, row.module_name);
    const code = sha256(await readFile(module));
    const faults = compileSchema(row.config_schema)(config);
    const misfit = `its configuration does not fit config_schema: ${explainFaults(faults)}`;
    return faults.length > 0
      ? { code, run: unable(misfit, 'Correct it in the transformers of the source connection.') }
      : { code, run: runOf(row, { module, config }, context) };
  } catch (error) {
    if (!(error instanceof ModuleRefused || error instanceof SchemaRefused)) throw error;
    const run = unable(error.message, 'Put the module in its place, or change the transformer.');
    return { code: 'none', run };
  }
}

function runOf(
  row: TransformerRow,
  { module, config }: { readonly module: string; readonly config: StepConfig },
  { source, definitionOf, functions }: StepContext,
): RunStep {
  const outputs = new Set(row.output_definitions);
  const rules = {
    mayReturn: (type: string) => outputs.has(definitionOf(type)),
    faultOf: (type: string, fields: StepConfig) => faultOf(source, type, fields),
  };
  return async (entities, signal) => {
    const at = { module, method: row.method_name };
    try {
      if (!functions)
        throw new CallFailed(
          'QUARRY_TRANSFORMERS_DIR is not set: ask the operator to set it to the folder of the modules',
        );
      const returned = await functions.call(
        at,
        { entities: entities.map(toPushed), config },
        signal,
      );
      return resultsOf(entities, returned, rules);
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error;
      throw new StepFailed(readable(error.message), {
        hint: `Try it with quarry transformers test ${row.module_name}.`,
        isCostly: error.isCostly,
      });
    }
  };
}

/** Messages of functions are shown and stored. They are redacted, because they may quote a secret. */
const readable = (message: string): string => redactText(message);

function faultOf(source: Source, type: string, fields: StepConfig): string | null {
  const parsed = shapeOf(source, type)?.safeParse(fields);
  const issue = parsed?.error?.issues[0];
  return issue ? `'${issue.path.join('.')}': ${issue.message}` : null;
}

function unable(message: string, hint: string): RunStep {
  return async () => {
    throw new StepFailed(message, { hint, isForAll: true });
  };
}
