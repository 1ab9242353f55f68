import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SourceError } from '../../errors.ts';
import { size } from '../sql/kinds.ts';
import { arrayOf, count, kindOf } from './values.ts';

const read = (type: string, text: string) => kindOf(type, false).toJson(text);

describe('values of PostgreSQL', () => {
  it('a number stays a number only if no digit is lost', () => {
    const same = ['0', '-7', '42', '1.5', '9007199254740991', '123456789012345', '0.1', '1e+300'];
    for (const text of same) assert.equal(String(read('numeric', text)), text);
    assert.equal(read('numeric', '1.50'), 1.5);
    assert.equal(read('numeric', '-0.000'), -0);
    assert.equal(read('numeric', '100000000000000000000000'), 1e23);
    assert.equal(read('numeric', '999999999999999.000'), 999999999999999);
    const kept = [
      '9007199254740993',
      '-9007199254740993',
      '12345678901.23456789',
      '0.12345678901234567890',
      `0.${'0'.repeat(400)}1`,
      'NaN',
      'Infinity',
      '-Infinity',
    ];
    for (const text of kept) assert.equal(read('numeric', text), text);
  });

  it('every numeric type is read as a number', () => {
    for (const type of ['int2', 'int4', 'int8', 'oid', 'numeric', 'float4', 'float8'])
      assert.equal(read(type, '12'), 12, type);
    assert.deepEqual([count.toJson('12'), size.toJson('12')], [12, 12]);
  });

  it('booleans are read from letters, and from words in arrays', () => {
    assert.deepEqual(
      ['t', 'true', 'f', 'false'].map((text) => read('bool', text)),
      [true, true, false, false],
    );
  });

  it('timestamps become ISO 8601 in UTC with all their digits', () => {
    assert.equal(
      read('timestamptz', '2026-01-02 03:04:05.123456+00'),
      '2026-01-02T03:04:05.123456Z',
    );
    assert.equal(read('timestamp', '2026-01-02 03:04:05'), '2026-01-02T03:04:05Z');
    for (const text of [
      'infinity',
      '-infinity',
      '0044-03-15 12:00:00 BC',
      '10000-01-01 00:00:00+00',
    ])
      assert.equal(read('timestamptz', text), text);
    assert.equal(read('date', '2026-01-02'), '2026-01-02');
  });

  it('JSON stays the same, except for characters that text cannot contain', () => {
    assert.deepEqual(read('jsonb', '{"a":[1,null,"x"]}'), { a: [1, null, 'x'] });
    assert.deepEqual(read('json', '{"a\\u0000":["\\ud800x",1,true,null,{"b":"\\u00e9"}]}'), {
      a: ['\uFFFDx', 1, true, null, { b: 'é' }],
    });
  });

  it('[SRH-16] a number in JSON stays a number only if no digit is lost', () => {
    const text =
      '{"id":1234567890123456789,"n":[1e400,-1e-400,1.50,0.12345678901234567890],"m":1e3}';
    for (const type of ['json', 'jsonb'])
      assert.deepEqual(read(type, text), {
        id: '1234567890123456789',
        n: ['1e400', '-1e-400', 1.5, '0.12345678901234567890'],
        m: 1000,
      });
    assert.deepEqual(read('jsonb', '["1234567890123456789",9007199254740992]'), [
      '1234567890123456789',
      9007199254740992,
    ]);
  });

  it('[JOB-21] JSON that is nested too deep fails without a stack overflow', () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const)
      assert.throws(
        () => read('json', `${open.repeat(20_000)}1${close.repeat(20_000)}`),
        new SourceError('skip', 'a value is nested more than 100 deep', {
          hint: 'Make it flatter, or leave it out.',
        }),
      );
    assert.deepEqual(read('json', '[[1]]'), [[1]]);
  });

  it('the padding of char(n) is removed, and the spaces of a text stay', () => {
    assert.equal(read('bpchar', 'ab   '), 'ab');
    assert.equal(read('text', 'ab   '), 'ab   ');
  });

  it('arrays are read element by element, at any depth', () => {
    const numbers = arrayOf(kindOf('int8', false));
    assert.deepEqual(numbers.toJson('[["1",null],["9007199254740993","3"]]'), [
      [1, null],
      ['9007199254740993', 3],
    ]);
    assert.deepEqual(numbers.toJson('[]'), []);
  });

  it('the kind of a value depends on its type', () => {
    const kinds = {
      words: ['text', 'varchar', 'bpchar', 'name', 'citext', 'xml'],
      number: ['int2', 'int4', 'int8', 'oid', 'numeric', 'float4', 'float8'],
      moment: ['date', 'timestamp', 'timestamptz'],
      flag: ['bool'],
      other: ['time', 'interval', 'uuid', 'json', 'jsonb', 'int4range', 'constructor'],
    };
    for (const [kind, types] of Object.entries(kinds))
      for (const type of types) assert.equal(kindOf(type, false).is, kind, type);
    assert.equal(kindOf('mood', true).is, 'words');
    assert.equal(arrayOf(kindOf('text', false)).is, 'other');
  });

  it('the text of a value has all digits, times as ISO 8601 and booleans as words', () => {
    const said = (type: string, text: string) => {
      const kind = kindOf(type, false);
      return kind.toText(text, kind.toJson(text));
    };
    for (const [type, text, shown = text] of [
      ['numeric', '12.50'],
      ['int8', '9007199254740993'],
      ['numeric', 'NaN'],
      ['bool', 't', 'true'],
      ['bool', 'f', 'false'],
      ['timestamptz', '2026-01-02 03:04:05.5+00', '2026-01-02T03:04:05.5Z'],
      ['date', '2026-01-02'],
      ['date', '0044-03-15 BC'],
      ['timestamp', 'infinity'],
      ['int4range', '[1,5)'],
      ['inet', '10.0.0.1/8'],
      ['jsonb', '{"a": [1, 2]}', '{"a":[1,2]}'],
      ['jsonb', '"words"', 'words'],
    ] as const)
      assert.equal(said(type, text), shown, `${type} ${text}`);
  });

  it('the text of a value has lists with commas and the size of bytes, and is empty for types that only machines read', () => {
    const numbers = arrayOf(kindOf('int8', false));
    const said = (json: string) => numbers.toText(json, numbers.toJson(json));
    assert.equal(said('["1",null,"9007199254740993"]'), '1, 9007199254740993');
    assert.equal(said('[["1"],["2"]]'), '[[1],[2]]');
    assert.equal(said('[]'), '');
    assert.equal(said('[null]'), '');
    const sizes = ['0', '1', '999', '1000', '12345', '999949', '999950', '10485760'];
    assert.deepEqual(
      sizes.map((bytes) => size.toText(bytes, Number(bytes))),
      ['0 bytes', '1 byte', '999 bytes', '1.0 kB', '12.3 kB', '999.9 kB', '1.0 MB', '10.5 MB'],
    );
    assert.equal(count.toText('2', 2), '2 values');
    for (const type of ['tsvector', 'vector', 'geometry']) {
      assert.equal(kindOf(type, false).toText('[0.1,0.2]', '[0.1,0.2]'), '', type);
      assert.equal(arrayOf(kindOf(type, false)).toText('["x"]', ['x']), '', type);
    }
  });

  it('a value whose type has no rule stays as PostgreSQL writes it', () => {
    assert.equal(read('int4range', '[1,5)'), '[1,5)');
    assert.equal(read('toString', 'x'), 'x');
  });
});
