/** The form of a set of questions about source code. */
import { readFileSync } from 'node:fs';
import type { JudgedDocument } from '../../packages/server/src/eval/judged.ts';
import type { Question } from './questions.ts';

export interface CodeSet {
  readonly language: string;
  readonly documents: readonly JudgedDocument[];
  readonly questions: readonly Question[];
}

export const EXTENSIONS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    c: ['c'],
    cpp: ['cc', 'cpp', 'h', 'hpp'],
    csharp: ['cs'],
    elixir: ['ex', 'exs'],
    go: ['go'],
    java: ['java'],
    javascript: ['js', 'mjs'],
    kotlin: ['kt'],
    lua: ['lua'],
    perl: ['pm', 'pl'],
    php: ['php'],
    python: ['py'],
    ruby: ['rb'],
    rust: ['rs'],
    shell: ['sh', 'bash'],
    typescript: ['ts', 'tsx'],
  }),
);

export const readSet = (path: string): CodeSet => JSON.parse(readFileSync(path, 'utf8'));
