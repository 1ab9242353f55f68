import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { coverage, idsIn, readRequirements, readTable } from './requirements.ts';
import type { Outcome } from './test-record.ts';

const requirements = readRequirements(
  'id\tarea\tfrom\trequirement\nCOL-01\tCOL\tspec\tone\nCOL-02\tCOL\tclar\ttwo\n\nKEY-01\tKEY\tspec\tthree\n',
);
const outcome = (result: Outcome['result'], ...titles: string[]): Outcome => ({
  titles,
  file: 'a.test.ts',
  result,
});
const missing = (outcomes: Outcome[], exempt: string[][] = []) =>
  coverage(requirements, outcomes, exempt).missing.map(({ id, state }) => `${id} ${state}`);

describe('ids of a test', () => {
  it('are found in every form, in suites too, each once', () => {
    assert.deepEqual(idsIn(['[COL-01] a suite', '[KEY-01, COL-02] [COL-01] a test']), [
      'COL-01',
      'KEY-01',
      'COL-02',
    ]);
  });
  it('are not guessed from other text', () => {
    assert.deepEqual(idsIn(['COL-01 outside', '[col-02] [COL-] [COL-1a] list[0]']), []);
  });
});

describe('the table of requirements', () => {
  it('is read without its heading and empty lines', () => {
    assert.deepEqual(requirements.at(-1), { id: 'KEY-01', area: 'KEY', text: 'three' });
    assert.equal(requirements.length, 3);
    assert.deepEqual(readTable('id\twhy\n'), []);
  });
});

describe('coverage', () => {
  it('takes a passing test, of the suite or the test', () => {
    assert.deepEqual(missing([outcome('passed', '[COL-01]', '[COL-02] x')]), ['KEY-01 no test']);
  });
  it('is spoiled by one failing test, and not given by a skipped one', () => {
    const outcomes = [
      outcome('passed', '[COL-01] x'),
      outcome('failed', '[COL-01] y'),
      outcome('skipped', '[COL-02] z'),
      outcome('passed', '[KEY-01] k'),
    ];
    assert.deepEqual(missing(outcomes), ['COL-01 failing', 'COL-02 no test']);
    assert.deepEqual([...coverage(requirements, outcomes, []).covered], ['KEY-01']);
  });
  it('is not asked of an exception, if a sentence says why', () => {
    const exempt = [['KEY-01', 'It takes two machines.']];
    assert.deepEqual(missing([], exempt), ['COL-01 no test', 'COL-02 no test']);
    assert.deepEqual(coverage(requirements, [], exempt).faults, []);
  });
  it('names what is wrong with titles and tables', () => {
    const outcomes = [outcome('passed', '[COL-99] typo'), outcome('passed', '[COL-01] x')];
    const exempt = [
      ['COL-01', 'It takes two machines.'],
      ['KEY-01', 'later'],
      ['ABC-01', 'A b.'],
    ];
    assert.deepEqual(coverage(requirements, outcomes, exempt).faults, [
      "COL-99 in the title of the test '[COL-99] typo' is not a requirement",
      'COL-01 is listed as an exception, but has a passing test: remove it from the list',
      'KEY-01 is listed as an exception without a sentence that says why',
      'ABC-01 is listed as an exception, but it is not a requirement',
    ]);
    assert.deepEqual(missing(outcomes, exempt), ['COL-02 no test', 'KEY-01 no test']);
  });
});
