/**
 * A reporter of node's test runner that writes one line of JSON for each test, and reads them back.
 *
 * node's own reports lose a failure of a hook, or of a test that has subtests.
 */
import { readFileSync } from 'node:fs';
import type { EventData } from 'node:test';

export interface Outcome {
  /** Titles of the suites and the test, the outermost first. */
  readonly titles: readonly string[];
  readonly file: string;
  readonly result: 'passed' | 'failed' | 'skipped';
}

type Event =
  | { readonly type: 'test:start'; readonly data: EventData.TestStart }
  | { readonly type: 'test:pass'; readonly data: EventData.TestPass }
  | { readonly type: 'test:fail'; readonly data: EventData.TestFail };

export default async function* record(events: AsyncIterable<Event>): AsyncGenerator<string> {
  const open: string[] = [];
  for await (const { type, data } of events) {
    if (type === 'test:start') open.splice(data.nesting, open.length, data.name);
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const because = type === 'test:fail' ? failureType(data.details.error) : undefined;
    // A suite is as good as its tests, unless one of its hooks failed.
    if (data.details.type === 'suite' && (type === 'test:pass' || because === 'subtestsFailed'))
      continue;
    const left = data.skip !== undefined || data.todo !== undefined;
    const outcome: Outcome = {
      titles: [...open.slice(0, data.nesting), data.name],
      file: data.file ?? '',
      result: left ? 'skipped' : type === 'test:pass' ? 'passed' : 'failed',
    };
    yield `${JSON.stringify(outcome)}\n`;
  }
}

export const readOutcomes = (path: string): Outcome[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

const failureType = (error: Error): unknown => 'failureType' in error && error.failureType;
