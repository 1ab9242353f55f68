/** `quarry transformers test` runs a function on the entities of a file, and shows how it changes them. */
import { readFile, realpath } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { z } from 'zod';
import { type Config, transformerRuntimeOf } from '../config.ts';
import { PushedEntity } from '../model/pushed.ts';
import { createApply } from '../transformers/apply.ts';
import { difference } from '../transformers/difference.ts';
import { CallFailed, createFunctions } from '../transformers/functions.ts';
import { modulePath } from '../transformers/module-path.ts';
import { resultsOf } from '../transformers/output.ts';
import { fromPushed, toPushed } from '../transformers/push-form.ts';
import { type RunStep, StepFailed } from '../transformers/step.ts';

export interface TestFlags {
  /** This is the path of a file with one entity, or a list of entities, in the form of a push. */
  readonly entity: string;
  readonly method: string;
  /** This is the configuration of the function, as JSON. */
  readonly config: string;
}

/** Runs the function with the same limits as in a sync. Returns false when it failed for an entity. */
export async function testTransformer(
  config: Config,
  module: string,
  flags: TestFlags,
): Promise<boolean> {
  const entities = (await readEntities(flags.entity)).map(fromPushed);
  const given: unknown = parsed(flags.config, '--config');
  const folder = config.QUARRY_TRANSFORMERS_DIR ?? dirname(await realpath(module));
  const name = config.QUARRY_TRANSFORMERS_DIR ? module : basename(module);
  const path = await modulePath(folder, name);
  const functions = createFunctions({ ...transformerRuntimeOf(config), folder });
  const signal = new AbortController().signal;
  const run: RunStep = async (some) => {
    try {
      const at = { module: path, method: flags.method };
      const returned = await functions.call(
        at,
        { entities: some.map(toPushed), config: given },
        signal,
      );
      return resultsOf(some, returned, { mayReturn: () => true, faultOf: () => null });
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error;
      throw new StepFailed(error.message, { hint: '', isCostly: error.isCostly });
    }
  };
  try {
    const step = { id: name, name, digest: '', accepts: () => true, outputDefinitions: [], run };
    const outcomes = await createApply([step], () => '')(entities, signal);
    let isRight = true;
    for (const entity of entities) {
      const outcome = outcomes.get(entity.id);
      if (outcome && 'failed' in outcome) {
        isRight = false;
        process.stdout.write(`${entity.id}: failed: ${outcome.failed.message}\n`);
      } else process.stdout.write(difference(entity, outcome?.entities ?? []));
    }
    return isRight;
  } finally {
    await functions.close();
  }
}

async function readEntities(path: string) {
  const json = parsed(await readFile(path, 'utf8'), path);
  const read = z
    .array(PushedEntity)
    .min(1)
    .safeParse(Array.isArray(json) ? json : [json]);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new Error(
    `${path} holds no entities in the form of a push: ${issue?.path.join('.')} ${issue?.message}`,
  );
}

function parsed(json: string, where: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new Error(`${where} is not JSON: ${(error as Error).message}`, { cause: error });
  }
}
