/**
 * Gives mutants to the real extractor, with its limited process and its limits, and checks every answer. Each player has a
 * process of its own, in which an unchanged document follows each mutant and must be read as ever.
 */
import { lstat, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createExtractor, type Extractor } from '../../../documents/extract.ts';
import { inodeOf } from '../../../documents/inode.ts';
import { must } from '../../../util.ts';
import { hold, same, Violation } from '../../random/violation.ts';
import { type Answer, checkAnswer } from './checks.ts';
import { mutantOf } from './mutant.ts';
import type { FuzzedKind, Sample } from './samples.ts';

export interface Finding {
  readonly rule: string;
  readonly message: string;
}

/** This is what became of one mutant. */
export interface Played {
  readonly mutant: Sample;
  readonly ms: number;
  /** This is `text`, or why the document was not read. */
  readonly became: string;
  readonly finding: Finding | null;
}

export interface Player {
  play(kind: FuzzedKind, seed: number, samples: readonly Sample[]): Promise<Played>;
  close(): Promise<void>;
}

/** `folder` is a new folder for the files of this player. */
export async function createPlayer(folder: string): Promise<Player> {
  const extractor = createExtractor({ processes: 1 });
  const expected = new Map<Sample, string>();
  await mkdir(folder);

  async function checkControl(control: Sample): Promise<void> {
    const after = JSON.stringify(await answerOf(extractor, control, folder));
    same(after, must(expected.get(control)), 'the next document is read as ever', control.name);
    const left = await readdir(folder);
    hold(left.length === 0, 'no files are left', () => left.join());
  }

  return {
    async play(kind, seed, samples) {
      const control = must(samples[seed % samples.length]);
      if (!expected.has(control))
        expected.set(control, JSON.stringify(await answerOf(extractor, control, folder)));
      const mutant = mutantOf(kind, seed, samples);
      const started = performance.now();
      const answer = await answerOf(extractor, mutant, folder);
      const ms = performance.now() - started;
      const finding = await findingOf(async () => {
        checkAnswer(answer, kind);
        await checkControl(control);
      });
      return { mutant, ms, became: becameOf(answer), finding };
    },
    close: () => extractor.close(),
  };
}

async function answerOf(extractor: Extractor, file: Sample, folder: string): Promise<Answer> {
  const path = join(folder, file.name);
  await writeFile(path, file.bytes);
  try {
    const inode = inodeOf(await lstat(path, { bigint: true }));
    const ref = { path, name: file.name, size: file.bytes.length, inode };
    return await extractor.extract(ref, new AbortController().signal);
  } catch (error) {
    return { kind: 'error', error };
  } finally {
    await rm(path);
  }
}

function becameOf(answer: Answer): string {
  if (answer.kind === 'text') return 'text';
  return answer.kind === 'skip' ? answer.reason : (answer.error as Error).message;
}

async function findingOf(check: () => Promise<void>): Promise<Finding | null> {
  try {
    await check();
    return null;
  } catch (error) {
    if (error instanceof Violation) return { rule: error.rule, message: error.message };
    throw error;
  }
}
