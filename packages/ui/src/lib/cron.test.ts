import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { firesOften, onceADay, readCron } from './cron.ts';

const NOW = Date.parse('2026-11-28T14:30:00Z');
const read = (text: string) => readCron(text, NOW) ?? assert.fail(text);

describe('a cron expression', () => {
  it('is said as a sentence, with the next three runs', () => {
    const { sentence, runs } = read('17 3 * * 1-5');
    assert.equal(sentence, 'At 03:17, Monday through Friday, UTC');
    assert.deepEqual(
      runs.map((run) => new Date(run).toISOString()),
      ['2026-11-30T03:17:00.000Z', '2026-12-01T03:17:00.000Z', '2026-12-02T03:17:00.000Z'],
    );
  });

  it('is said as a time of the person when it fires once a day', () => {
    const time = new Date(NOW).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
    assert.equal(onceADay('30 14 * * *', NOW), `Once a day, at ${time}`);
    for (const text of ['30 14 * * 1', '*/5 * * * *', 'never'])
      assert.equal(onceADay(text, NOW), null);
  });

  it('is refused when it is not one, and never fires on a day that does not exist', () => {
    for (const text of ['', 'daily', '@daily', '* * * *', '61 * * * *', '* * * * * *'])
      assert.equal(readCron(text, NOW), null, text);
    assert.deepEqual(read('0 0 31 2 *').runs, []);
  });

  it('fires more often than hourly, or not', () => {
    for (const [text, often] of [
      ['*/10 * * * *', true],
      ['0,59 * * * *', true],
      ['7 * * * *', false],
      ['0 */6 * * *', false],
    ] as const)
      assert.equal(firesOften(read(text)), often, text);
  });
});
