/** `quarry eval` measures the quality of searches, separately for each way to rank (a stage, eval/stages.ts). */
import type { Config } from '../config.ts';
import { explained } from '../db/unavailable.ts';
import { fitText } from '../eval/fit-report.ts';
import {
  type JudgedSet,
  nameOf,
  readDocuments,
  readQueries,
  untitled,
  withCutNames,
} from '../eval/judged.ts';
import { knownItems } from '../eval/known-items.ts';
import { type Library, openCollection, openTemporary } from '../eval/library.ts';
import { tablesOf, tableText } from '../eval/report.ts';
import { runSet, type SetResult } from '../eval/run.ts';
import { type EvalFlags, type EvalPlan, planOf } from './eval-plan.ts';
import { fitWeightsOf, resetWeightsOf } from './eval-weights.ts';
import { type LiveLine, liveLine } from './live-line.ts';

interface EvalRun {
  readonly plan: EvalPlan;
  readonly line: LiveLine;
}

/** Prints tables or JSON. Throws an Error with a message for users when flags or files are wrong. */
export async function evaluate(
  config: Config,
  folders: readonly string[],
  flags: EvalFlags,
): Promise<void> {
  const plan = planOf(folders, flags);
  const line = liveLine(process.stderr);
  let text: string;
  try {
    text = await outputOf(config, { folders, flags }, { plan, line });
  } catch (error) {
    throw explained(error);
  } finally {
    line.clear();
  }
  process.stdout.write(text);
}

async function outputOf(
  config: Config,
  { folders, flags }: { readonly folders: readonly string[]; readonly flags: EvalFlags },
  run: EvalRun,
): Promise<string> {
  const { collection, fit, dryRun = false, resetWeights, json } = flags;
  const inJson = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
  const tables = (sets: readonly SetResult[]) =>
    json ? inJson(tablesOf(sets)) : tablesOf(sets).map(tableText).join('\n');
  if (collection === undefined) {
    // All sets are read before the first one is searched, so that the user sees a mistake in any of them at once.
    const read = folders.map((folder) => readSet(folder, run.plan));
    const sets: SetResult[] = [];
    for (const set of read) sets.push(await runInTemporary(config, set, run));
    return tables(sets);
  }
  const library = await openCollection(config, collection);
  try {
    if (resetWeights) return await resetWeightsOf(library, collection);
    const set = await readCollection(library, { collection, folder: folders[0] }, run);
    if (!fit) return tables([await runStages(library, set, run)]);
    const { line, plan } = run;
    const report = await fitWeightsOf(library, set, { line, seed: plan.seed, isDry: dryRun });
    return json ? inJson(report) : fitText(report);
  } finally {
    await library.close();
  }
}

/**
 * With `cutNames`, the documents lose their titles, so that the baseline and the known items cannot use them. The
 * search gets the first characters of the text as names (`runInTemporary`).
 */
function readSet(folder: string, plan: EvalPlan): JudgedSet {
  const titled = readDocuments(folder);
  const documents = plan.cutNames === null ? titled : untitled(titled);
  const known = new Set(documents.map(({ id }) => id));
  const queries =
    plan.knownItems === null
      ? readQueries(folder, known)
      : knownItems(documents, plan.knownItems, plan.seed);
  const cut = plan.cutNames === null ? '' : `, names cut at ${plan.cutNames} characters`;
  return checkedSet({ name: `${nameOf(folder)}${cut}`, documents, queries });
}

function checkedSet(set: JudgedSet): JudgedSet {
  if (set.queries.length === 0) throw new Error(`${set.name}: the set has no queries`);
  return set;
}

async function runInTemporary(config: Config, set: JudgedSet, run: EvalRun): Promise<SetResult> {
  const { cutNames } = run.plan;
  const stored = cutNames === null ? set.documents : withCutNames(set.documents, cutNames);
  const done = (count: number) =>
    run.line.show(`${set.name}: ${count} of ${stored.length} documents stored`);
  const library = await openTemporary(stored, done, config);
  try {
    return await runStages(library, set, run);
  } finally {
    await library.close();
  }
}

async function readCollection(
  library: Library,
  { collection, folder = '' }: { readonly collection: string; readonly folder: string | undefined },
  { plan, line }: EvalRun,
): Promise<JudgedSet> {
  line.show(`${collection}: reading its documents`);
  const documents = await library.documents();
  const known = new Set(documents.map(({ id }) => id));
  const queries =
    plan.knownItems === null
      ? readQueries(folder, known)
      : knownItems(documents, plan.knownItems, plan.seed);
  return checkedSet({ name: collection, documents, queries });
}

const runStages = (library: Library, set: JudgedSet, { plan, line }: EvalRun) =>
  runSet(library, set, {
    stages: plan.stages,
    done: (searches, of) => line.show(`${set.name}: ${searches} of ${of} searches`),
  });
