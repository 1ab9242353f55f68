import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import type { AppError } from '../errors.ts';
import { validatorCompiler } from './validate.ts';

it('[GEN-14] what has the wrong type is told of that alone, and not of its length', () => {
  const schema = z.strictObject({ label: z.string().min(3) });
  const validate = validatorCompiler({ schema, method: 'POST', url: '/', httpPart: 'body' });
  const { error } = validate({ label: ['x'] }) as { error: AppError };
  assert.deepEqual(
    error.faults.map(({ loc, type }) => [loc.join('.'), type]),
    [['body.label', 'invalid_type']],
  );
});

describe('what is told of a value that may have several forms', () => {
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
        "group.field: there is no field 'field': use conditions",
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
