/** Measures how fast the readers are: each is warm and in a process of its own, and they take turns. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tellProgress } from '../../scripts/help.ts';
import { packDocuments } from './containers.ts';
import { makeDocuments } from './make.ts';
import { run } from './programs.ts';
import {
  NotRead,
  READER_NAMES,
  READERS,
  type Read,
  type ReaderName,
  readsKind,
} from './readers.ts';
import { RECIPES } from './recipes.ts';
import { printTable, spreadOf } from './table.ts';
import { wordsIn } from './words.ts';

const CHILD = fileURLToPath(new URL('speed-child.ts', import.meta.url));
const SEED = 2;
/** A document of this many chapters, or groups of slides, or tens of rows, has about 200,000 characters. */
const SIZE = { text: 80, slides: 120, sheet: 300 };
/** These numbers of chapters give PDFs of about 13, 76 and 384 pages. */
const PDF_SIZES = [8, 48, 240];
/** The start of pdftotext and pandoc is not counted. It is measured by a call that only tells the version. */
const STARTED: readonly ReaderName[] = ['pdftotext', 'pandoc'];
const STARTS = 15;
/** The first rounds compile the code of a reader. */
const WARM_UP = 2;

interface Task {
  readonly what: string;
  readonly path: string;
  readonly unit: 'pages' | 'characters' | 'MB';
  readonly amount: number;
}

interface SpeedOptions {
  readonly rounds: number;
  /** Only documents of these kinds are read; undefined stands for all kinds. */
  readonly kinds?: readonly string[];
}

export async function measureSpeed({ rounds, kinds }: SpeedOptions): Promise<void> {
  const starts = new Map<ReaderName, number>();
  for (const name of STARTED) starts.set(name, await startOf(name));
  console.log(`Speed: ${rounds} rounds\n`);
  const rows: string[][] = [];
  for (const task of await tasks()) {
    if (kinds !== undefined && !kinds.includes(task.what.split(',')[0] ?? '')) continue;
    tellProgress(`reading ${task.what}`);
    rows.push(...(await rowsOf(task, rounds, starts)));
  }
  printTable(['what', 'reader', 'unit', 'least', 'median', 'most', 'Quarry / fastest peer'], rows);
  for (const [name, ms] of starts)
    console.log(`${name}: ${ms.toFixed(0)} ms for its start are not counted`);
}

async function rowsOf(
  task: Task,
  rounds: number,
  starts: ReadonlyMap<ReaderName, number>,
): Promise<string[][]> {
  // A file that is measured in MB has documents inside, which no peer reads.
  const names = READER_NAMES.filter(
    (name) => readsKind(name, task.path) && (task.unit !== 'MB' || name === 'Quarry'),
  );
  const times = await timesInTurns(names, task.path, rounds);
  const rates = names.map((name) => {
    const started = starts.get(name) ?? 0;
    const all = times.get(name) ?? [];
    return spreadOf(all.map((ms) => (1000 * task.amount) / Math.max(1, ms - started)));
  });
  const fastest = Math.max(...rates.slice(1).map(([, median]) => median));
  return rates.map((spread, i) => [
    task.what,
    names[i] ?? '',
    `${task.unit}/s`,
    ...spread.map(figure),
    i === 0 && rates.length > 1 ? (spread[1] / fastest).toFixed(2) : '',
  ]);
}

const figure = (value: number): string =>
  value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString('en');

/** Returns the times of each reader in milliseconds. Other work of the machine affects all of them alike. */
async function timesInTurns(names: readonly ReaderName[], path: string, rounds: number) {
  const children = await Promise.all(
    names.map(async (name) => {
      const child = fork(CHILD, [name, path], { execArgv: ['-C', 'quarry'] });
      await answerOf(child);
      return { name, child, times: [] as number[] };
    }),
  );
  try {
    for (let round = -WARM_UP; round < rounds; round++)
      for (const { child, times } of children) {
        child.send('read');
        const ms = await answerOf(child);
        if (round >= 0) times.push(Number(ms));
      }
  } finally {
    for (const { child } of children) child.kill();
  }
  return new Map(children.map(({ name, times }) => [name, times]));
}

/** Returns the next message of the child. Throws an error if it ends. */
async function answerOf(child: ChildProcess): Promise<unknown> {
  const ended = new AbortController();
  const fail = () => ended.abort(new Error(`the reader has ended: ${child.spawnargs.join(' ')}`));
  child.once('exit', fail);
  try {
    const [message] = await once(child, 'message', { signal: ended.signal });
    return message;
  } finally {
    child.off('exit', fail);
  }
}

/** Returns the median time in milliseconds for starting the program. */
async function startOf(name: ReaderName): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < STARTS; i++) {
    const began = performance.now();
    await run(name, [name === 'pandoc' ? '--version' : '-v']);
    times.push(performance.now() - began);
  }
  return spreadOf(times)[1];
}

async function tasks(): Promise<Task[]> {
  const all: Task[] = [];
  const isPdf = (kind: string) => kind === 'pdf';
  for (const size of PDF_SIZES) all.push(await pdfTask(size));
  const read = await READERS.Quarry.open();
  for (const shape of ['text', 'slides', 'sheet'] as const) {
    const kinds = RECIPES.filter((recipe) => recipe.shape === shape && !isPdf(recipe.kind));
    const recipes = [...new Map(kinds.map((one) => [one.kind, { ...one, documents: 1 }])).values()];
    for (const { path, recipe } of await makeDocuments({
      seed: SEED,
      size: SIZE[shape],
      recipes,
    })) {
      const amount = await charactersOf(path, read);
      if (amount > 0) all.push({ what: recipe.kind, path, unit: 'characters', amount });
    }
  }
  const packed = await packDocuments(await makeDocuments({ seed: 1 }));
  return [...all, ...packed.map(inMb)];
}

/** Counts the characters of words, because the readers write different markup. A kind that is not read has 0. */
async function charactersOf(path: string, read: Read): Promise<number> {
  try {
    return wordsIn(await read(path)).reduce((sum, word) => sum + word.length, 0);
  } catch (error) {
    if (!(error instanceof NotRead)) throw error;
    tellProgress(`${path}: ${error.message}`);
    return 0;
  }
}

function inMb(path: string): Task {
  const what = path.endsWith('.tar.gz') ? 'tar.gz' : extname(path).slice(1);
  return { what, path, unit: 'MB', amount: statSync(path).size / 1e6 };
}

async function pdfTask(size: number): Promise<Task> {
  const recipes = RECIPES.filter(({ kind }) => kind === 'pdf')
    .slice(0, 1)
    .map((one) => ({ ...one, documents: 1 }));
  const [made] = await makeDocuments({ seed: SEED, size, recipes });
  if (made === undefined) throw new Error('no recipe makes a PDF');
  const { stdout } = await run('pdfinfo', [made.path]);
  const pages = Number(/^Pages:\s+(\d+)/m.exec(stdout)?.[1]);
  return { what: `pdf, ${pages} pages`, path: made.path, unit: 'pages', amount: pages };
}
