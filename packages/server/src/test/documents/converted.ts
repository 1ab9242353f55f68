/** Runs a converter in the process of the test. */
import assert from 'node:assert/strict';
import type { Container, Convert, Converted, InnerDocument } from '../../documents/convert.ts';
import { convertFile } from '../../documents/convert-file.ts';
import { CONVERTERS } from '../../documents/converters.ts';
import type { ExtractOutcome } from '../../documents/extract-protocol.ts';
import type { ParsedKind } from '../../documents/kinds/table.ts';
import { NO_OPTIONAL_KINDS } from '../../documents/kinds.ts';
import type { Omission } from '../../documents/omission.ts';
import { SourceError } from '../../errors.ts';

/** Returns what the converter makes of a document that has no other documents in it. */
export async function converted(
  convert: Convert,
  bytes: Uint8Array,
  name = '',
): Promise<Converted> {
  const { inner, leftOut, ...result } = await convertedAll(convert, bytes, name);
  assert.deepEqual(
    [...inner.map(({ path }) => path), ...Object.keys(leftOut)],
    [],
    'the documents inside',
  );
  return result;
}

/** Converts a file and what is inside of it, without the kinds that an operator must set up. */
export const convertedFile = (
  kind: ParsedKind,
  name: string,
  bytes: Uint8Array,
): Promise<ExtractOutcome> => convertFile({ kind, name }, bytes, () => {});

/** This is for a document that has nothing inside. */
export const EMPTY_CONTAINER: Container = {
  name: '',
  optional: NO_OPTIONAL_KINDS,
  add: async ({ path }) => assert.fail(`${path} is inside`),
  leaveOut: (path) => assert.fail(`${path} is inside`),
  readAs: () => assert.fail('the document packs another one'),
  convertAs: (kind) => assert.fail(`the document is of the kind ${kind}`),
};

/** Returns what the converter makes of a document, the documents that are in it, and why others are left out. */
export async function convertedAll(
  convert: Convert,
  bytes: Uint8Array,
  name = '',
): Promise<Converted & { readonly inner: InnerDocument[]; readonly leftOut: LeftOutInside }> {
  const inner: InnerDocument[] = [];
  const leftOut: LeftOutInside = {};
  const container: Container = {
    name,
    optional: NO_OPTIONAL_KINDS,
    add: async (one) => {
      inner.push(one);
    },
    leaveOut: (path, why) => {
      leftOut[path] = why instanceof SourceError ? why.message : why;
    },
    readAs: () => assert.fail('the document packs another one: test it with convertFile'),
    convertAs: async (kind, same, named = name) => {
      const other = await CONVERTERS[kind]();
      return other.convert(same, { ...container, name: named });
    },
  };
  const result = await convert(bytes, container);
  assert.ok('text' in result, `left out: ${JSON.stringify(result)}`);
  return { ...result, inner, leftOut };
}

/** This has the path of each document that is left out, with the omission or the message of the error. */
type LeftOutInside = Record<string, Omission | string>;
