import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import type { AppError } from '../errors.ts';
import { validatorCompiler } from './validate.ts';

it('[GEN-14] a value of the wrong type has only one fault, and none about its length', () => {
  const schema = z.strictObject({ label: z.string().min(3) });
  const validate = validatorCompiler({ schema, method: 'POST', url: '/', httpPart: 'body' });
  const { error } = validate({ label: ['x'] }) as { error: AppError };
  assert.deepEqual(
    error.faults.map(({ loc, type }) => [loc.join('.'), type]),
    [['body.label', 'invalid_type']],
  );
});

describe('the faults of a value that may have several forms', () => {
  const Status = z.enum(['on', 'off']);
  const Condition = z.strictObject({ field: z.string() });
  const schema = z.strictObject({
    status: z.union([Status, z.array(Status)]).default('on'),
    group: z.union([z.strictObject({ conditions: z.array(Condition) }), z.array(Condition)]),
    value: z.union([z.string(), z.number()]),
    rule: z
      .union([z.strictObject({ any: z.string() }), z.strictObject({ is: z.int(), not: z.int() })])
      .optional(),
  });
  const fine = { group: [], value: 1 };
  const validate = validatorCompiler({ schema, method: 'POST', url: '/', httpPart: 'querystring' });
  const toldOf = (given: object) => {
    const { error } = validate({ ...fine, ...given }) as { error: AppError };
    return error.faults.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`);
  };

  for (const [given, told] of [
    [{ status: 'ON' }, ['status: Invalid option: expected one of "on"|"off"']],
    [{ status: ['on', 'no'] }, ['status.1: Invalid option: expected one of "on"|"off"']],
    [{ status: 5 }, ['status: Invalid option: expected one of "on"|"off"']],
    [
      { group: { field: 'x' } },
      [
        'group.conditions: this field is required',
        "group.field: the field 'field' is not known: use conditions",
      ],
    ],
    [{ rule: { is: 1, not: 'x' } }, ['rule.not: Invalid input: expected number, received string']],
    [{ group: 'x' }, ['group: Invalid input: expected object or array']],
    [{ value: undefined }, ['value: this field is required']],
    [{ value: null }, ['value: Invalid input: expected string or number']],
  ] as const)
    it(`[GEN-14] ${JSON.stringify(given)}: ${told}`, () => {
      assert.deepEqual(toldOf(given), told);
    });
});

describe('a body with very many faults', () => {
  const Item = z.strictObject({
    id: z.string(),
    names: z.array(z.string().min(1)).nullable().optional(),
  });
  const schema = z.strictObject({ items: z.array(Item).default([]), gone: z.array(z.string()) });
  const validate = validatorCompiler({ schema, method: 'POST', url: '/', httpPart: 'body' });
  const faultsOf = (body: object) => (validate(body) as { error: AppError }).error.faults;
  const filled = <T>(length: number, value: T): T[] => Array.from({ length }, () => value);

  /** Returns the same list, which counts how often one of its elements is read. */
  function watched(list: readonly unknown[]) {
    const seen = { looks: 0 };
    const proxy = new Proxy(list, {
      get(target, key, receiver) {
        if (typeof key === 'string' && /^\d+$/.test(key)) seen.looks++;
        return Reflect.get(target, key, receiver);
      },
    });
    return { proxy, seen };
  }

  for (const [what, element, bodyWith, first] of [
    ['in a list', 1, (list: unknown) => ({ gone: list }), ['body', 'gone', 0]],
    [
      'in a list of objects',
      [],
      (list: unknown) => ({ items: list, gone: [] }),
      ['body', 'items', 0],
    ],
    [
      'in a list within a list',
      '',
      (list: unknown) => ({ items: [{ id: 'a' }, { id: 'b', names: list }], gone: [] }),
      ['body', 'items', 1, 'names', 0],
    ],
  ] as const)
    it(`[GEN-14] gets the first hundred, and later elements are not read: ${what}`, () => {
      const { proxy, seen } = watched(filled<unknown>(1000, element));
      const faults = faultsOf(bodyWith(proxy));
      assert.deepEqual([faults.length, faults[0]?.loc], [100, first]);
      assert.ok(seen.looks <= 300, `${seen.looks} looks at 1000 elements`);
    });

  it('[GEN-14] gets every fault when there are fewer, and a valid body is returned unchanged', () => {
    const items = filled(1000, { id: 'a', names: filled(500, 'n') });
    assert.deepEqual(validate({ items, gone: filled(5000, 'x') }), {
      value: { items, gone: filled(5000, 'x') },
    });
    const gone = [...filled(500, 'x'), ...filled(99, 1)];
    const faults = faultsOf({ gone, colour: 1 });
    assert.deepEqual(
      faults.map(({ loc }) => loc.at(-1)),
      [...Array.from({ length: 99 }, (_, i) => 500 + i), 'colour'],
    );
  });

  it('[GEN-20] gets a fault for each of the first hundred unknown fields', () => {
    const body = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`k${i}`, 1]));
    assert.equal(faultsOf({ ...body, gone: [] }).length, 100);
  });
});
