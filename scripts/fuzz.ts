/**
 * `npm run fuzz [-- --kind pptx] [--minutes 1] [--from 1] [--seed N] [--files <folder>] [--processes 2]` changes files of
 * every kind at random, reads them as a sync does, and checks every answer: each kind for so many minutes. `--seed` plays
 * one file again, and `--from` begins with this seed. `--files` names a folder with further files; those with the
 * extension of a kind are changed too, and a finding in them needs the same folder when it is played again.
 *
 * It prints each finding with the seed and the file that repeat it, and ends with exit code 1 when it has found any.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { kindOf } from '../packages/server/src/documents/kinds.ts';
import { BY_LIBRARIES } from '../packages/server/src/test/documents/fuzz/checks.ts';
import {
  createPlayer,
  type Finding,
  type Played,
} from '../packages/server/src/test/documents/fuzz/play.ts';
import {
  FUZZED_KINDS,
  type FuzzedKind,
  SAMPLES,
  type Sample,
} from '../packages/server/src/test/documents/fuzz/samples.ts';
import { numberOf, oneOf } from './arguments.ts';
import { answerHelp, tellProgress } from './help.ts';
import { makeTemporary } from './temporary.ts';

answerHelp(import.meta.filename);
const { values } = parseArgs({
  options: {
    kind: { type: 'string' },
    minutes: { type: 'string', default: '1' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    files: { type: 'string' },
    processes: { type: 'string', default: String(availableParallelism()) },
  },
});
const kinds = values.kind === undefined ? FUZZED_KINDS : [oneOf(FUZZED_KINDS, values.kind)];
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new Error(`'${values.minutes}' is not a number of minutes`);
const seed = values.seed === undefined ? null : numberOf(values.seed);
const processes = seed === null ? numberOf(values.processes, 1) : 1;
/** Files of findings are kept here, and the others in the folder of the run, which is removed. */
const kept = mkdtempSync(join(tmpdir(), 'quarry-fuzz-'));
const temporary = makeTemporary();
const given = values.files === undefined ? [] : readGiven(values.files);
/** A small document that takes so long is read by code whose time is not linear, also on a busy machine. */
const SLOW_MS = 10_000;
let findings = 0;
for (const kind of kinds) findings += await fuzz(kind);
rmSync(temporary, { recursive: true });
if (findings === 0) rmSync(kept, { recursive: true });
console.log(`${findings} findings`);
process.exitCode = findings > 0 ? 1 : 0;

/** Returns the files of a folder in the order of their names. */
function readGiven(folder: string): Sample[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => ({ name, bytes: readFileSync(join(folder, name)) }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Plays one kind and returns the number of findings. */
async function fuzz(kind: FuzzedKind): Promise<number> {
  const samples = [...SAMPLES[kind], ...given.filter(({ name }) => kindOf(name, '') === kind)];
  const started = performance.now();
  const told = new Set<string>();
  const became = new Map<string, number>();
  let next = seed ?? numberOf(values.from);
  let files = 0;
  let found = 0;
  let slowest = { ms: 0, seed: 0 };

  function note(played: Played, of: number): void {
    files++;
    became.set(played.became, (became.get(played.became) ?? 0) + 1);
    if (played.ms > slowest.ms) slowest = { ms: played.ms, seed: of };
    const finding = played.finding ?? slowness(kind, played);
    if (!finding) return;
    found++;
    // Many seeds find the same fault.
    if (told.has(finding.message)) return;
    told.add(finding.message);
    tell({ kind, of, finding, mutant: played.mutant });
  }

  const isOver = () => (seed === null ? performance.now() - started > minutes * 60_000 : files > 0);

  async function worker(number: number): Promise<void> {
    const player = await createPlayer(join(temporary, `${kind}-${number}`));
    while (!isOver()) {
      const of = next++;
      note(await player.play(kind, of, samples), of);
    }
    await player.close();
  }

  await Promise.all(Array.from({ length: processes }, (_, i) => worker(i)));
  const rate = files / ((performance.now() - started) / 60_000);
  console.log(
    `${kind}: ${files} files, ${rate.toFixed(0)} a minute, slowest ${slowest.ms.toFixed(0)} ms (seed ${slowest.seed}), ${became.get('text') ?? 0} read, ${found} with findings`,
  );
  for (const [message, count] of became)
    if (message !== 'text') tellProgress(`  ${count} ${message}`);
  return found;
}

function slowness(kind: FuzzedKind, { ms }: Played): Finding | null {
  if (ms < SLOW_MS || BY_LIBRARIES.has(kind)) return null;
  const rule = 'a small document is read fast';
  return { rule, message: `${rule}: it took ${(ms / 1000).toFixed(0)} s` };
}

interface Found {
  readonly kind: FuzzedKind;
  readonly of: number;
  readonly finding: Finding;
  readonly mutant: Sample;
}

function tell({ kind, of, finding, mutant }: Found): void {
  const path = join(kept, `${kind}-${of}-${mutant.name}`);
  writeFileSync(path, mutant.bytes);
  const folder = values.files === undefined ? '' : ` --files ${values.files}`;
  console.log(
    `${kind}, seed ${of}: ${finding.message.slice(0, 500)}\n  again: npm run fuzz -- --kind ${kind} --seed ${of}${folder}\n  file: ${path} (${mutant.bytes.length} bytes)`,
  );
}
