/** `quarry eval` measures how well searches find, separately for each way to rank (a stage, eval/stages.ts). */
import type { Config } from '../config.ts';
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
import { chosenStages, STAGES, type Stage, WITHOUT } from '../eval/stages.ts';
import { type LiveLine, liveLine } from './live-line.ts';

export interface EvalFlags {
  readonly collection?: string;
  readonly knownItems?: string;
  readonly seed?: string;
  /** The flag is true when it is given without a number. */
  readonly cutNames?: string | true;
  readonly stages?: string;
  readonly features?: boolean;
  readonly json?: boolean;
}

interface EvalPlan {
  readonly stages: readonly Stage[];
  /** This many queries are made from the documents; null means that the queries of the folder are used. */
  readonly knownItems: number | null;
  readonly seed: number;
  /** Every document gets this many characters of its text as its name; null means that it keeps its title. */
  readonly cutNames: number | null;
}

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
  const plan = planOf(flags);
  const line = liveLine(process.stderr);
  const run = { plan, line };
  const sets: SetResult[] = [];
  try {
    if (flags.collection !== undefined) {
      if (plan.cutNames !== null)
        throw new Error('--cut-names needs folders: the records of a collection have names');
      const [folder, ...more] = folders;
      if (more.length > 0) throw new Error('--collection takes the queries of one folder');
      sets.push(await runInCollection(config, { collection: flags.collection, folder }, run));
    } else {
      if (folders.length === 0) throw new Error('give folders of judged sets, or --collection');
      // All sets are read before the first one is searched, so that the user sees a mistake in any of them at once.
      const read = folders.map((folder) => readSet(folder, plan));
      for (const set of read) sets.push(await runInTemporary(set, run));
    }
  } finally {
    line.clear();
  }
  const tables = tablesOf(sets);
  process.stdout.write(
    flags.json ? `${JSON.stringify(tables, null, 2)}\n` : tables.map(tableText).join('\n'),
  );
}

/** Names of records are about this long in the sources that cut them from a text. */
const CUT_NAME = '60';

function planOf({ knownItems, seed, cutNames, stages, features }: EvalFlags): EvalPlan {
  const cut = cutNames === true ? CUT_NAME : cutNames;
  if (cut !== undefined && Number.isNaN(Number(cut)))
    throw new Error(
      `--cut-names takes a number, not '${cut}': without one, give it after the folders`,
    );
  const allStages = features ? [...STAGES, ...WITHOUT] : STAGES;
  return {
    stages: stages === undefined ? allStages : chosenStages(stages.split(',').filter(Boolean)),
    knownItems: knownItems === undefined ? null : wholeNumber('--known-items', knownItems, 1),
    seed: seed === undefined ? 1 : wholeNumber('--seed', seed, 0),
    cutNames: cut === undefined ? null : wholeNumber('--cut-names', cut, 1),
  };
}

function wholeNumber(flag: string, text: string, min: number): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) < min)
    throw new Error(`${flag} takes a whole number from ${min} on`);
  return Number(text);
}

/** Where names are cut from the text, the baseline and the known items know of no titles. */
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

async function runInTemporary(set: JudgedSet, run: EvalRun): Promise<SetResult> {
  const { cutNames } = run.plan;
  const stored = cutNames === null ? set.documents : withCutNames(set.documents, cutNames);
  const library = await openTemporary(stored, (count) =>
    run.line.show(`${set.name}: ${count} of ${stored.length} documents stored`),
  );
  try {
    return await runStages(library, set, run);
  } finally {
    await library.close();
  }
}

async function runInCollection(
  config: Config,
  { collection, folder }: { readonly collection: string; readonly folder: string | undefined },
  run: EvalRun,
): Promise<SetResult> {
  const { plan, line } = run;
  if (folder === undefined && plan.knownItems === null)
    throw new Error('--collection needs a folder with queries, or --known-items');
  const library = await openCollection(config, collection);
  try {
    line.show(`${collection}: reading its documents`);
    const documents = await library.documents();
    const known = new Set(documents.map(({ id }) => id));
    const queries =
      plan.knownItems === null
        ? readQueries(folder ?? '', known)
        : knownItems(documents, plan.knownItems, plan.seed);
    return await runStages(library, checkedSet({ name: collection, documents, queries }), run);
  } finally {
    await library.close();
  }
}

const runStages = (library: Library, set: JudgedSet, { plan, line }: EvalRun) =>
  runSet(library, set, {
    stages: plan.stages,
    done: (searches, of) => line.show(`${set.name}: ${searches} of ${of} searches`),
  });
