/** The plan says what `quarry eval` is to do. Flags that do not go together are refused before anything is done. */
import { chosenStages, STAGES, type Stage, WITHOUT } from '../eval/stages.ts';

export interface EvalFlags {
  readonly collection?: string;
  readonly knownItems?: string;
  readonly seed?: string;
  /** The flag is true when it is given without a number. */
  readonly cutNames?: string | true;
  readonly stages?: string;
  readonly features?: boolean;
  readonly fit?: boolean;
  readonly dryRun?: boolean;
  readonly resetWeights?: boolean;
  readonly json?: boolean;
}

export interface EvalPlan {
  readonly stages: readonly Stage[];
  /** This many queries are made from the documents; null means that the queries of the folder are used. */
  readonly knownItems: number | null;
  readonly seed: number;
  /** Every document gets this many characters of its text as its name; null means that it keeps its title. */
  readonly cutNames: number | null;
}

/** Names of records are about this long in the sources that cut them from a text. */
const CUT_NAME = '60';

/** Throws an Error with a message for users. */
export function planOf(folders: readonly string[], flags: EvalFlags): EvalPlan {
  const fault = faultOf(folders, flags);
  if (fault !== undefined) throw new Error(fault);
  const { knownItems, seed, cutNames, stages, features } = flags;
  const cut = cutNames === true ? CUT_NAME : cutNames;
  const allStages = features ? [...STAGES, ...WITHOUT] : STAGES;
  return {
    stages: stages === undefined ? allStages : chosenStages(stages.split(',').filter(Boolean)),
    knownItems: knownItems === undefined ? null : wholeNumber('--known-items', knownItems, 1),
    seed: seed === undefined ? 1 : wholeNumber('--seed', seed, 0),
    cutNames: cut === undefined ? null : wholeNumber('--cut-names', cut, 1),
  };
}

function faultOf(folders: readonly string[], flags: EvalFlags): string | undefined {
  const { fit, dryRun, resetWeights } = flags;
  const fault = fit || dryRun || resetWeights ? faultOfWeights(folders, flags) : undefined;
  return resetWeights ? fault : (fault ?? faultOfSets(folders, flags));
}

/** Checks flags that contain --fit, --dry-run or --reset-weights. */
function faultOfWeights(folders: readonly string[], flags: EvalFlags): string | undefined {
  const { collection, stages, features, fit, dryRun, resetWeights } = flags;
  if (dryRun && !fit) return '--dry-run belongs to --fit';
  if (fit && (stages !== undefined || features))
    return '--fit measures no stages: leave --stages and --features out';
  if (collection === undefined)
    return `${fit ? '--fit' : '--reset-weights'} needs --collection, because only a collection has weights of its own`;
  return resetWeights && measures(folders, flags)
    ? '--reset-weights measures nothing: give only --collection, and --data-dir'
    : undefined;
}

function faultOfSets(folders: readonly string[], flags: EvalFlags): string | undefined {
  const { collection, knownItems, cutNames } = flags;
  if (typeof cutNames === 'string' && Number.isNaN(Number(cutNames)))
    return `--cut-names takes a number, not '${cutNames}': to leave the number out, give --cut-names after the folders`;
  if (collection === undefined)
    return folders.length === 0 ? 'give folders of judged sets, or --collection' : undefined;
  if (cutNames !== undefined)
    return '--cut-names needs folders: the records of a collection have names';
  if (folders.length > 1) return '--collection takes the queries of one folder';
  return folders.length === 0 && knownItems === undefined
    ? '--collection needs a folder with queries, or --known-items'
    : undefined;
}

/** Returns true when any flag is given that only a measurement needs. */
const measures = (
  folders: readonly string[],
  { knownItems, seed, cutNames, stages, features, fit, json }: EvalFlags,
): boolean =>
  folders.length > 0 ||
  [knownItems, seed, cutNames, stages, features, fit, json].some((flag) => flag !== undefined);

function wholeNumber(flag: string, text: string, min: number): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) < min)
    throw new Error(`${flag} takes a whole number from ${min} on`);
  return Number(text);
}
