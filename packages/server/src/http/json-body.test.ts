import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AppError } from '../errors.ts';
import { jsonOf } from './json-body.ts';

const read = (text: string) => jsonOf(Buffer.from(text));

function faultOf(text: string): string | undefined {
  try {
    read(text);
    return undefined;
  } catch (error) {
    return (error as AppError).faults[0]?.type;
  }
}

describe('bodies of JSON', () => {
  it('are refused when a field could change a prototype, however it is written and however deep it is', () => {
    const field = '{"__proto__":{"a":1}}';
    for (const text of [
      field,
      '{"\\u005f_proto__":1}',
      '{"\\u005f\\u005fp\\u0072oto\\u005f\\u005f":1}',
      `[[{"a":${field}}]]`,
      '{"constructor":{"prototype":{"a":1}}}',
      '{"constructor":{"\\u0070rototype":1}}',
    ])
      assert.equal(faultOf(text), 'forbidden_field', text);
  });

  it('may have such words as texts, and as other fields', () => {
    for (const text of [
      '{"a":"__proto__"}',
      '{"constructor":"prototype"}',
      '{"constructor":null}',
      '{"prototype":{"constructor":1}}',
      '["__proto__","\\u005f"]',
    ])
      assert.deepEqual(read(text), JSON.parse(text));
  });

  it('are refused when they are no JSON, are nested too deep, or have texts that cannot be stored', () => {
    assert.equal(faultOf('{"a"'), 'json_invalid');
    assert.equal(faultOf(`${'['.repeat(501)}${']'.repeat(501)}`), 'too_deep');
    assert.equal(faultOf('{"a":"\\u0000"}'), 'invalid_text');
    assert.equal(read(' '), undefined);
    assert.deepEqual(read('\ufeff{"a":1}'), { a: 1 });
  });
});
