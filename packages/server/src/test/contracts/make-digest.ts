/** Makes the text of a digest, as it stands in the folder digests/. */
import { digestOf } from './digest.ts';
import { graphqlDigestOf } from './graphql-digest.ts';
import { CONTRACTS, type ContractName, GRAPHQL_CONTRACTS } from './table.ts';

/** Returns the path of the digest. */
export const digestFile = (name: ContractName): URL =>
  new URL(`./digests/${name}.${name in GRAPHQL_CONTRACTS ? 'graphql' : 'json'}`, import.meta.url);

/** Throws an Error when the document lacks something that the table names. */
export function digestText(name: ContractName, document: string): string {
  const contract = CONTRACTS[name];
  if ('selection' in contract) return graphqlDigestOf(contract, document);
  const { operations, schemas, ...head } = digestOf(contract, document);
  const lines = (values: object) =>
    Object.entries(values)
      .map(([key, value]) => `    ${JSON.stringify(key)}: ${JSON.stringify(value)}`)
      .join(',\n');
  // A line holds one operation or schema, so that a change of the document is easy to see.
  const facts = JSON.stringify(head, null, 2).slice(0, -2);
  return `${facts},\n  "operations": {\n${lines(operations)}\n  },\n  "schemas": {\n${lines(schemas)}\n  }\n}\n`;
}
