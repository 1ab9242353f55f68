/** Tests the digests: they are those of the documents, and they know what connectors use. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { amended } from './amend.ts';
import { hasFields } from './closed.ts';
import type { HttpContract } from './contract.ts';
import type { Digest } from './digest.ts';
import { documentOf } from './documents.ts';
import { digestFile, digestText } from './make-digest.ts';
import { readDigest } from './open-contract.ts';
import { CONTRACTS, type ContractName, HTTP_CONTRACTS, type HttpContractName } from './table.ts';
import { createValidator } from './validator.ts';

/** A folder with documents, or with the archives of their packages. */
const FOLDER = process.env.QUARRY_CONTRACTS;
const names = Object.keys(CONTRACTS) as ContractName[];
const ofHttp = Object.keys(HTTP_CONTRACTS) as HttpContractName[];

describe('digests of contracts', () => {
  it('are what their documents say, where these are at hand', (t) => {
    const made = names.filter((name) => {
      const document = documentOf(CONTRACTS[name].origin, FOLDER);
      if (document !== null)
        assert.equal(readFileSync(digestFile(name), 'utf8'), digestText(name, document));
      return document !== null;
    });
    t.diagnostic(`${made.length} of ${names.length} digests were made again: ${made.join(', ')}`);
  });

  for (const name of ofHttp) {
    const { title, operations, amendments = [] }: HttpContract = HTTP_CONTRACTS[name];
    const digest = readDigest(name);

    it(`the digest ${name} has the operations of the table, and says where it comes from`, () => {
      assert.deepEqual(Object.keys(digest.operations), operations.toSorted());
      assert.equal(digest.title, title);
      const { sha256, ...origin } = digest.origin;
      assert.deepEqual(origin, CONTRACTS[name].origin);
      assert.match(sha256, /^[0-9a-f]{64}$/);
      assert.doesNotMatch(readFileSync(digestFile(name), 'utf8'), /"(description|summary)":"/);
    });

    it(`all schemas of the digest ${name} can be compiled`, () => {
      const whole = amended(digest, amendments);
      const validator = createValidator(whole, amendments);
      for (const [key, schema] of schemasOf(whole)) validator.faultOf(key, schema, {});
    });

    it(`the table names the answers of which ${name} lists no fields`, () => {
      const loose = Object.entries(digest.operations).flatMap(([key, { answers }]) =>
        Object.entries(answers)
          .filter(([status]) => /^2/.test(status))
          .flatMap(([, content]) => Object.entries(content))
          .filter(([type, schema]) => /json/.test(type) && !hasFields(schema ?? {}, digest.schemas))
          .map(() => key),
      );
      const named = amendments.flatMap((one) => one.loose ?? []);
      assert.deepEqual(loose.toSorted(), named.toSorted());
    });
  }
});

const schemasOf = ({ operations }: Digest) =>
  Object.entries(operations).flatMap(([key, { parameters, body, answers }]) => [
    ...parameters.map(({ name, schema }) => [`${key} ${name}`, schema] as const),
    ...Object.values(body?.content ?? {}).flatMap((schema) =>
      schema ? [[`${key} body`, schema] as const] : [],
    ),
    ...Object.entries(answers).flatMap(([status, content]) =>
      Object.entries(content).flatMap(([type, schema]) =>
        schema && type.includes('json') ? [[`${key} ${status}`, schema] as const] : [],
      ),
    ),
  ]);
