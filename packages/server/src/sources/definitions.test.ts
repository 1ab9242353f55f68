import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { defineSource } from './define.ts';
import { definitionId, definitionIdsOf, definitionsOf, shapeOf, uuidV5 } from './definitions.ts';

describe('entity definitions', () => {
  it('have ids that are UUIDv5 as RFC 9562, appendix A.4, defines them', () => {
    const dns = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
    assert.equal(uuidV5(dns, 'www.example.com'), '2ed6657d-e927-568b-95e1-2665a8aea6a2');
  });

  it('[ENT-13] have ids that depend only on short_name and name', () => {
    assert.equal(definitionId('push', 'PushedEntity'), '8d80cff9-9762-5b5b-9a47-e6369698cabf');
    assert.equal(definitionId('postgresql', 'PostgresRow'), '0cd4f050-8add-56a0-99e3-779aa4f81397');
    assert.notEqual(definitionId('a', 'b'), definitionId('b', 'a'));
  });

  it('[ENT-13] have the same ids when the ids of many entities are computed', () => {
    const idOf = definitionIdsOf({ shortName: 'push', entities: {} });
    for (const type of ['PushedEntity', 'Bird', 'PushedEntity', 'constructor', 'Bird'])
      assert.equal(idOf(type), definitionId('push', type));
  });

  it('[ENT-14] are chosen by the source for types that exist only in its data', () => {
    const Row = z.looseObject({});
    const source = {
      shortName: 'rows',
      entities: { Row, Note: z.object({ page: z.int() }) },
      otherTypes: 'Row',
    };
    const idOf = definitionIdsOf(source);
    for (const type of ['Row', 'orders', 'constructor', 'orders'])
      assert.equal(idOf(type), definitionId('rows', 'Row'), type);
    assert.equal(idOf('Note'), definitionId('rows', 'Note'));
    assert.equal(shapeOf(source, 'toString'), Row);
    assert.equal(shapeOf(source, 'Note'), source.entities.Note);
    assert.equal(shapeOf({ shortName: 'rows', entities: { Row } }, 'toString'), undefined);
  });

  it('[ENT-12] show the JSON Schema of the fields', () => {
    const source = defineSource({
      shortName: 'birds',
      name: 'Birds',
      description: '',
      labels: [],
      auth: {},
      config: z.object({}),
      entities: { Bird: z.object({ wings: z.int() }), Nest: z.object({}) },
      evidence: [],
      rateLimitLevel: null,
    });
    const [bird, nest] = definitionsOf(source);
    assert.deepEqual(
      [bird?.id, bird?.name, bird?.source_short_name, nest?.name],
      [definitionId('birds', 'Bird'), 'Bird', 'birds', 'Nest'],
    );
    const schema = bird?.json_schema as {
      properties: { wings: { type: string } };
      required: string[];
    };
    assert.equal(schema.properties.wings.type, 'integer');
    assert.deepEqual(schema.required, ['wings']);
  });
});
