import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { tidyComponents } from './openapi-components.ts';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

describe('tidyComponents', () => {
  it('keeps schemas that are referred to, even only by other schemas, and drops the rest', () => {
    const document = {
      components: {
        securitySchemes: { bearer: {} },
        schemas: {
          B: { items: ref('C') },
          A: { a: 1 },
          C: { c: 1 },
          D: { items: ref('A') },
          E: { e: 1 },
        },
      },
      paths: { '/b': ref('B'), '/also-b': ref('B'), '/e': ref('E') },
    };
    assert.deepEqual(tidyComponents(document), {
      paths: { '/b': ref('B'), '/also-b': ref('B'), '/e': ref('E') },
      components: {
        securitySchemes: { bearer: {} },
        schemas: { B: { items: ref('C') }, C: { c: 1 }, E: { e: 1 } },
      },
    });
  });

  it('removes Input from the name of a schema that is only sent, and keeps both forms of one that is also received', () => {
    const schemas = {
      New: { out: 1 },
      NewInput: { in: 1 },
      Both: { out: 2 },
      BothInput: { in: 2, self: ref('BothInput') },
      KeyInput: { in: 3 },
    };
    const document = {
      components: { schemas },
      paths: [ref('NewInput'), ref('Both'), ref('BothInput'), ref('KeyInput')],
    };
    const tidy = tidyComponents(document);
    assert.deepEqual(tidy.paths, [ref('New'), ref('Both'), ref('BothInput'), ref('KeyInput')]);
    assert.deepEqual(tidy.components.schemas, {
      Both: { out: 2 },
      BothInput: { in: 2, self: ref('BothInput') },
      KeyInput: { in: 3 },
      New: { in: 1 },
    });
    assert.deepEqual(Object.keys(tidy.components.schemas), [
      'Both',
      'BothInput',
      'KeyInput',
      'New',
    ]);
  });
});
