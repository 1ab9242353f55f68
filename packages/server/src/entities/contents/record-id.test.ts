import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readRecordId, recordId } from './record-id.ts';

describe('the id of a record', () => {
  const CONNECTION = '01890000-0000-7000-8000-00000000000a';

  for (const [what, id, connection, entityIds] of [
    ['an entity_id', 'docs/a.md', null, ['docs/a.md']],
    ['a record', recordId(CONNECTION, 'docs/a.md'), CONNECTION, ['docs/a.md']],
    ['a chunk, or an entity named like one', 'a__chunk_2', null, ['a__chunk_2', 'a']],
    [
      'a chunk of an entity named like one',
      recordId(CONNECTION, 'a__chunk_2__chunk_0'),
      CONNECTION,
      ['a__chunk_2__chunk_0', 'a__chunk_2'],
    ],
    ['an entity_id of two lines', 'a\nb', null, ['a\nb']],
    ['a record of two lines', recordId(CONNECTION, 'a\nb'), CONNECTION, ['a\nb']],
    ['a chunk of two lines', 'a\nb__chunk_0', null, ['a\nb__chunk_0', 'a\nb']],
    ['no chunk', '__chunk_0', null, ['__chunk_0']],
    ['no connection', 'not-a-uuid:docs/a.md', null, ['not-a-uuid:docs/a.md']],
  ] as const)
    it(what, () => assert.deepEqual(readRecordId(id), { connection, entityIds }));
});
