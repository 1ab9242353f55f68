import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import type { SourceField } from '../../sources/schema.ts';
import { askField } from './ask-field.ts';
import { pick } from './pick.ts';
import { openTerminal, type Terminal } from './terminal.ts';

/** Asks at a terminal that answers each question with the next of the lines. Returns the answer and the shown text. */
async function answered<T>(lines: readonly string[], ask: (terminal: Terminal) => Promise<T>) {
  const input = new PassThrough();
  const output = new PassThrough();
  let shown = '';
  let answers = 0;
  output.on('data', (data) => {
    shown += data;
    const line = lines[answers];
    if (!/: $/.test(String(data)) || line === undefined) return;
    answers++;
    input.write(`${line}\r`);
  });
  const terminal = openTerminal(
    input as unknown as NodeJS.ReadStream,
    output as unknown as NodeJS.WriteStream,
    new AbortController(),
  );
  try {
    return { value: await ask(terminal), shown: () => shown, answers: () => answers };
  } finally {
    terminal.close();
  }
}

const field = (over: Partial<SourceField>): SourceField => ({
  name: 'kinds',
  title: 'Kinds',
  description: 'What is copied',
  type: 'string',
  required: false,
  ...over,
});

describe('the questions of quarry connect', () => {
  it('a default is shown as a person would type it, and Enter leaves it to the service', async () => {
    const cases: [Partial<SourceField>, string][] = [
      [{ type: 'string', default: 'public' }, 'Kinds [public]: '],
      [{ type: 'number', default: 5432 }, 'Kinds [5432]: '],
      [{ type: 'boolean', default: true }, ', yes or no [yes]: '],
      [{ type: 'boolean', default: false }, ', yes or no [no]: '],
      [{ type: 'array', default: ['a', 'b'] }, ', separated by commas [a, b]: '],
      [{ type: 'array', default: [{ a: 1 }] }, ' [[{"a":1}]]: '],
      [{ type: 'object', default: { a: 1 } }, ', as JSON [{"a":1}]: '],
    ];
    for (const [over, shown] of cases) {
      const run = await answered([''], (terminal) => askField(terminal, field(over)));
      assert.ok(run.shown().includes(shown), run.shown());
      assert.deepEqual([run.value, run.answers()], [undefined, 1]);
    }
  });

  it('a text that is not of the type of the field is asked again, with the reason', async () => {
    const run = await answered(['many', '', '7'], (terminal) =>
      askField(terminal, field({ type: 'number', required: true })),
    );
    assert.match(run.shown(), /kinds takes a number, and 'many' is something else/);
    assert.match(run.shown(), /A value is needed\./);
    assert.deepEqual([run.value, run.answers()], [7, 3]);
  });

  const choices = ['a', 'b', 'c,d'].map((value) => ({ value, title: value.toUpperCase() }));
  const find = async (query: string) =>
    choices.filter(({ title }) => title.includes(query.toUpperCase()));

  it('a choice that is required is asked again after Enter, without another list', async () => {
    const run = await answered(['', '2'], (terminal) =>
      pick(terminal, { find, takesSeveral: false, isRequired: true }),
    );
    assert.deepEqual(run.value, ['b']);
    assert.equal(run.shown().match(/A value is needed\./g)?.length, 1);
    assert.equal(run.shown().match(/1 {2}A/g)?.length, 1);
  });

  it('a single value after = may contain a comma, and several values are separated by commas', async () => {
    for (const [takesSeveral, value] of [
      [false, ['c,d']],
      [true, ['c', 'd']],
    ] as const) {
      const run = await answered(['=', '=c,d'], (terminal) =>
        pick(terminal, { find, takesSeveral, isRequired: true }),
      );
      assert.match(run.shown(), /Nothing contains '='\./);
      assert.deepEqual(run.value, value);
    }
  });

  it('several numbers choose several values where the field takes them', async () => {
    const several = await answered(['3,1'], (terminal) =>
      pick(terminal, { find, takesSeveral: true, isRequired: true }),
    );
    assert.deepEqual(several.value, ['c,d', 'a']);
    const single = await answered(['3,1', '1'], (terminal) =>
      pick(terminal, { find, takesSeveral: false, isRequired: true }),
    );
    assert.match(single.shown(), /Nothing contains '3,1'\./);
    assert.deepEqual(single.value, ['a']);
  });
});
