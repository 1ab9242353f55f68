/**
 * This is a reporter of node's test runner. It writes lines of JSON: which test began, how each test ended, how
 * long each suite of a file took, and how many exchanges were checked by which contract. The file also has the functions that read these lines.
 *
 * The reporters of node do not show the failure of a hook, or of a test that has subtests.
 */
import { existsSync, readFileSync } from 'node:fs';
import type { EventData } from 'node:test';
import { inspect } from 'node:util';

export interface Outcome {
  /** These are the titles of the suites, from the outermost inwards, and the title of the test. */
  readonly titles: readonly string[];
  readonly file: string;
  readonly result: 'passed' | 'failed' | 'skipped';
  /** A failed test has its error here, and a skipped one the reason that it gives. */
  readonly why?: string;
}

export interface Begun {
  readonly begun: string;
  readonly file: string;
}

export interface Took {
  /** The test or suite stands at the top of its file and took this many milliseconds. */
  readonly took: number;
  readonly file: string;
}

/** The exchanges with fakes that were checked by a vendor's document (test/contracts/counts.ts). */
export interface Checked {
  readonly checkedBy: string;
  readonly requests: number;
  readonly answers: number;
  readonly file: string;
}

export type Line = Outcome | Begun | Took | Checked;

type Event =
  | { readonly type: 'test:dequeue'; readonly data: EventData.TestDequeue }
  | { readonly type: 'test:start'; readonly data: EventData.TestStart }
  | { readonly type: 'test:diagnostic'; readonly data: EventData.TestDiagnostic }
  | { readonly type: 'test:pass'; readonly data: EventData.TestPass }
  | { readonly type: 'test:fail'; readonly data: EventData.TestFail };

export default async function* record(events: AsyncIterable<Event>): AsyncGenerator<string> {
  const open: string[] = [];
  for await (const event of events) for (const line of linesOf(event, open)) yield toText(line);
}

const toText = (line: Line) => `${JSON.stringify(line)}\n`;

function* linesOf({ type, data }: Event, open: string[]): Generator<Line> {
  const file = data.file ?? '';
  if (type === 'test:dequeue') yield { begun: data.name, file };
  if (type === 'test:diagnostic') yield* checksIn(data.message, file);
  if (type === 'test:start') open.splice(data.nesting, open.length, data.name);
  if (type !== 'test:pass' && type !== 'test:fail') return;
  if (data.nesting === 0) yield { took: data.details.duration_ms, file };
  const error = type === 'test:fail' ? data.details.error : undefined;
  const left = data.skip ?? data.todo;
  // The outcomes of its tests are reported, so a suite is reported only when it is skipped or when one of its hooks
  // failed.
  const isSuite = data.details.type === 'suite' && left === undefined;
  if (isSuite && (!error || failureType(error) === 'subtestsFailed')) return;
  yield {
    titles: [...open.slice(0, data.nesting), data.name],
    file,
    result: left !== undefined ? 'skipped' : error ? 'failed' : 'passed',
    ...(left !== undefined && { why: typeof left === 'string' ? left : 'without a reason' }),
    ...(error && { why: inspect(error.cause ?? error) }),
  };
}

function* checksIn(message: string, file: string): Generator<Checked> {
  const [, requests, answers, checkedBy] =
    /^(\d+) requests and (\d+) answers were checked by (.+)$/.exec(message) ?? [];
  if (checkedBy !== undefined)
    yield { checkedBy, requests: Number(requests), answers: Number(answers), file };
}

const failureType = (error: Error): unknown => 'failureType' in error && error.failureType;

export const readLines = (path: string): Line[] =>
  existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean).map(parse) : [];

export const parse = (line: string): Line => JSON.parse(line);

export const isChecked = (line: Line): line is Checked => 'checkedBy' in line;

export const isOutcome = (line: Line): line is Outcome => 'result' in line;

export const readOutcomes = (path: string): Outcome[] => readLines(path).filter(isOutcome);
