/**
 * Reads the parameter `fields` of Google's APIs, which names the fields that an answer shall have, and answers with them.
 */

import { must } from '../../util.ts';
import type { JsonSchema } from '../contracts/json-schema.ts';
import type { OpenContract } from '../contracts/open-contract.ts';

/** A mask of fields, such as `files(id,owners(emailAddress))`, as a tree. */
export interface FieldMask extends Map<string, FieldMask> {}

/**
 * Parses a mask as https://developers.google.com/workspace/drive/api/guides/fields-parameter defines it, but without
 * paths and stars.
 */
export function parseMask(text: string): FieldMask {
  let rest = text;
  const level = (): FieldMask => {
    const mask: FieldMask = new Map();
    for (;;) {
      const [name = ''] = /^\w+/.exec(rest) ?? [];
      if (name === '') throw new Error(`the fields '${text}' cannot be read at '${rest}'`);
      rest = rest.slice(name.length);
      const isNested = rest.startsWith('(');
      if (isNested) rest = rest.slice(1);
      mask.set(name, isNested ? level() : new Map());
      if (isNested) {
        if (!rest.startsWith(')')) throw new Error(`the fields '${text}' do not end`);
        rest = rest.slice(1);
      }
      if (!rest.startsWith(',')) return mask;
      rest = rest.slice(1);
    }
  };
  const mask = level();
  if (rest !== '') throw new Error(`the fields '${text}' cannot be read at '${rest}'`);
  return mask;
}

/** Throws an Error when the mask names a field that the operation does not answer. */
export function checkMask(mask: FieldMask, contract: OpenContract, operation: string): void {
  const { answers } = must(contract.digest.operations[operation]);
  const schema = answers[200]?.['application/json'];
  checkLevel(mask, must(schema, `${operation} answers no fields`), contract);
}

function checkLevel(mask: FieldMask, schema: JsonSchema, contract: OpenContract): void {
  const shape = contract.resolved(schema);
  const { properties } = contract.resolved(shape.items ?? shape);
  for (const [name, inner] of mask) {
    const property = must(properties?.[name], `Google has no field ${name}`);
    if (inner.size > 0) checkLevel(inner, property, contract);
  }
}

/** Keeps only the fields that the mask names, as Google does. */
export function masked(value: unknown, mask: FieldMask): unknown {
  if (mask.size === 0 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => masked(one, mask));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, inner]) => mask.has(name) && inner !== undefined)
      .map(([name, inner]) => [name, masked(inner, must(mask.get(name)))]),
  );
}
