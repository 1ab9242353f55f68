import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Filter } from './filter.ts';
import { filterMatches, type Matchable } from './filter-matches.ts';

const DOCUMENT: Matchable = {
  entity_id: 'readme__chunk_2',
  original_entity_id: 'readme',
  name: 'Read me',
  source_name: 'files',
  entity_type: 'File',
  sync_id: 's',
  sync_job_id: 'j',
  chunk_index: 2,
  created_at: null,
  updated_at: '2024-05-06T07:08:09.010Z',
  breadcrumbs: [
    { entity_id: 'a', name: 'Docs', entity_type: 'Folder' },
    { entity_id: 'b', name: 'Public', entity_type: 'Space' },
  ],
  access: { viewers: ['user:ann'], is_public: false },
  metadata: {
    size: 10,
    tag: ['x', 'y'],
    draft: true,
    nothing: null,
    none: [],
    due: '2024-02-01T00:00:00Z',
    title: 'zebra',
    people: [
      { name: 'Ann', age: 30 },
      { name: 'Bob', age: 40 },
    ],
    holes: [1, null],
  },
};
const at = (path: string) => path.split('.');

/** Each case has a title, a filter, and whether the document satisfies the filter. */
const CASES: readonly (readonly [string, Filter, boolean])[] = [
  ['a value among several', { path: at('name'), in: ['other', 'Read me'] }, true],
  ['another value', { path: at('name'), in: ['read me'] }, false],
  ['no value', { path: at('name'), in: [] }, false],
  ['a number for a text', { path: at('metadata.size'), in: ['10'] }, false],
  ['a number', { path: at('metadata.size'), in: [10] }, true],
  ['1 for true', { path: at('metadata.draft'), in: [1, 'true'] }, false],
  ['true', { path: at('metadata.draft'), in: [true] }, true],
  ['one element of a list', { path: at('metadata.tag'), in: ['y'] }, true],
  ['not an element', { path: at('metadata.tag'), in: ['z'] }, false],
  ['some element is another', { path: at('metadata.tag'), notIn: ['x'] }, true],
  ['all elements are named', { path: at('metadata.tag'), notIn: ['x', 'y'] }, false],
  ['not this value', { path: at('metadata.size'), notIn: [11, '10'] }, true],
  ['not of a missing field', { path: at('metadata.absent'), notIn: ['x'] }, false],
  ['not of null', { path: at('metadata.nothing'), notIn: ['x'] }, false],
  ['a text within', { path: at('name'), text: 'ad m' }, true],
  ['a text in another case', { path: at('name'), text: 'AD' }, false],
  ['a text of a number', { path: at('metadata.size'), text: '1' }, false],
  ['in a range, at its lower bound', { path: at('chunk_index'), range: { gte: 2, lt: 3 } }, true],
  ['below a range', { path: at('chunk_index'), range: { gt: 2 } }, false],
  ['at its upper bound', { path: at('chunk_index'), range: { lte: 2 } }, true],
  ['above a range', { path: at('chunk_index'), range: { lt: 2 } }, false],
  [
    'the same instant in another zone',
    { path: at('updated_at'), in: ['2024-05-06T09:08:09.010+02:00'] },
    true,
  ],
  ['not that instant', { path: at('updated_at'), notIn: ['2024-05-06T07:08:09.01Z'] }, false],
  ['a later instant', { path: at('updated_at'), range: { gt: '2024-05-06T07:08:09.009Z' } }, true],
  [
    'no later instant',
    { path: at('updated_at'), range: { gt: '2024-05-06T07:08:09.010Z' } },
    false,
  ],
  ['no instant', { path: at('updated_at'), range: { gt: 'yesterday' } }, false],
  ['a text of an instant', { path: at('updated_at'), text: '2024' }, false],
  ['an absent instant', { path: at('created_at'), is: 'null' }, true],
  ['a date in the metadata', { path: at('metadata.due'), range: { gt: '2024-01-01' } }, true],
  ['a text that is no date', { path: at('metadata.title'), range: { gt: '2024-01-01' } }, false],
  ['a number for a date', { path: at('metadata.size'), range: { gt: '2024-01-01' } }, false],
  ['null', { path: at('metadata.nothing'), is: 'null' }, true],
  ['null is empty', { path: at('metadata.nothing'), is: 'empty' }, true],
  ['an empty list', { path: at('metadata.none'), is: 'empty' }, true],
  ['an empty list is not null', { path: at('metadata.none'), is: 'null' }, false],
  ['missing is null', { path: at('metadata.absent.x'), is: 'null' }, true],
  ['missing is empty', { path: at('metadata.absent'), is: 'empty' }, true],
  ['what every object inherits is missing', { path: at('metadata.toString'), is: 'null' }, true],
  ['a list with null', { path: at('metadata.holes'), is: 'null' }, true],
  ['a list with null is not empty', { path: at('metadata.holes'), is: 'empty' }, false],
  ['a value is not null', { path: at('metadata.size'), is: 'null' }, false],
  ['through a list', { path: at('metadata.people.name'), in: ['Bob'] }, true],
  ['of a breadcrumb', { path: at('breadcrumbs.entity_type'), in: ['Space'] }, true],
  ['access', { path: at('access.is_public'), in: [false] }, true],
  [
    'one element with both',
    {
      path: at('metadata.people'),
      some: {
        all: [
          { path: ['name'], in: ['Ann'] },
          { path: ['age'], in: [30] },
        ],
      },
    },
    true,
  ],
  [
    'two elements with one each',
    {
      path: at('metadata.people'),
      some: {
        all: [
          { path: ['name'], in: ['Ann'] },
          { path: ['age'], in: [40] },
        ],
      },
    },
    false,
  ],
  ['some of what is no list', { path: at('metadata.size'), some: { all: [] } }, false],
  ['the id of the chunk', { ids: ['x', 'readme__chunk_2'] }, true],
  ['the id in the source', { ids: ['readme'] }, true],
  ['another id', { ids: ['readme__chunk_1'] }, false],
  ['all of none', { all: [] }, true],
  ['any of none', { any: [], atLeast: 1 }, false],
  ['at least none', { any: [], atLeast: 0 }, true],
  [
    'at least two of two and one',
    { any: [{ all: [] }, { not: { all: [] } }, { all: [] }], atLeast: 2 },
    true,
  ],
  ['at least two of one and two', { any: [{ all: [] }, { not: { all: [] } }], atLeast: 2 }, false],
  ['all, one fails', { all: [{ all: [] }, { not: { all: [] } }] }, false],
  ['[FIL-18] not of a missing field', { not: { path: at('metadata.absent'), in: ['x'] } }, true],
];

describe('filterMatches', () => {
  for (const [name, filter, expected] of CASES)
    it(`${name}: ${expected}`, () => assert.equal(filterMatches(DOCUMENT, filter), expected));
});
