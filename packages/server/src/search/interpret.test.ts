import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { interpret } from './interpret.ts';

const names = {
  sources: ['github', 'google_drive'],
  types: ['PostgresRow', 'File', 'sales.orders'],
};
const now = new Date('2024-05-15T13:00:00Z');
const read = (query: string) => interpret(query, names, now);
const range = (from: object) => ({ key: 'updated_at', range: from });

describe('interpret', () => {
  it('[SRH-09] recognizes sources and types of the collection, in upper or lower case', () => {
    assert.deepEqual(read('broken login source:GitHub'), {
      query: 'broken login',
      filter: { must: [{ key: 'source_name', match: { value: 'github' } }] },
    });
    assert.deepEqual(read('late type:sales.Orders.').filter, {
      must: [{ key: 'entity_type', match: { value: 'sales.orders' } }],
    });
    assert.deepEqual(read('budget from google_drive type:file').filter, {
      must: [
        { key: 'source_name', match: { value: 'google_drive' } },
        { key: 'entity_type', match: { value: 'File' } },
      ],
    });
  });

  it('[SRH-09] leaves unknown sources, types and dates in the query', () => {
    for (const query of [
      'notes from paris',
      'source:gitlab',
      'type:github',
      'data:source:github',
      'in 20245',
      'in 2024-13',
      'since 2024-02-30',
      'room 2024',
      'the last straw',
      'since the yesterday',
    ])
      assert.deepEqual(read(query), { query, filter: null });
  });

  it('[SRH-09] recognizes days, months and years', () => {
    const cases: [string, object][] = [
      ['in 2024', { gte: '2024-01-01T00:00:00.000Z', lt: '2025-01-01T00:00:00.000Z' }],
      ['during 2023-12', { gte: '2023-12-01T00:00:00.000Z', lt: '2024-01-01T00:00:00.000Z' }],
      ['from February 2024', { gte: '2024-02-01T00:00:00.000Z', lt: '2024-03-01T00:00:00.000Z' }],
      ['from 2024-02-29', { gte: '2024-02-29T00:00:00.000Z', lt: '2024-03-01T00:00:00.000Z' }],
      ['since 2024-03-01', { gte: '2024-03-01T00:00:00.000Z' }],
      ['after 2023', { gte: '2024-01-01T00:00:00.000Z' }],
      ['before 2024-02', { lt: '2024-02-01T00:00:00.000Z' }],
      ['Before 1999', { lt: '1999-01-01T00:00:00.000Z' }],
    ];
    for (const [phrase, expected] of cases)
      assert.deepEqual(
        read(`outages ${phrase}`),
        { query: 'outages', filter: { must: [range(expected)] } },
        phrase,
      );
  });

  it('[SRH-09] counts days back from midnight in UTC', () => {
    const cases: [string, string][] = [
      ['last week', '2024-05-08'],
      ['from the last month', '2024-04-15'],
      ['over the past 10 days', '2024-05-05'],
      ['last 2 years', '2022-05-15'],
      ['since yesterday', '2024-05-14'],
      ['from today', '2024-05-15'],
    ];
    for (const [phrase, day] of cases)
      assert.deepEqual(
        read(`outages ${phrase} in Rome`),
        { query: 'outages in Rome', filter: { must: [range({ gte: `${day}T00:00:00.000Z` })] } },
        phrase,
      );
  });

  it('[SRH-09] counts months and years back to a day that exists', () => {
    for (const [today, phrase, day] of [
      ['2024-03-31', 'last month', '2024-02-29'],
      ['2023-03-30', 'past month', '2023-02-28'],
      ['2024-05-31', 'last 3 months', '2024-02-29'],
      ['2024-12-31', 'last 18 months', '2023-06-30'],
      ['2024-02-29', 'last year', '2023-02-28'],
      ['2024-02-29', 'last 4 years', '2020-02-29'],
    ] as const) {
      const { filter } = interpret(`outages ${phrase}`, names, new Date(`${today}T13:00:00Z`));
      assert.deepEqual(filter, { must: [range({ gte: `${day}T00:00:00.000Z` })] }, today);
    }
  });

  it('[SRH-09] keeps the words of the restriction as the query when there are no other words', () => {
    const { query, filter } = read('last week?');
    assert.equal(query, 'last week?');
    assert.equal([filter?.must].flat().length, 1);
  });
});
