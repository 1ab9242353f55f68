/**
 * Checks the queries of a connector, and the answers of a fake, by the digest of a vendor's GraphQL schema. Unknown
 * fields, arguments, variables and values are errors, and so are answers that the schema does not allow.
 */
import { readFileSync } from 'node:fs';
import {
  buildSchema,
  type DocumentNode,
  execute,
  type GraphQLError,
  type GraphQLFieldResolver,
  Kind,
  parse,
  validate,
} from 'graphql';
import { json, type PeerAnswer, type PeerRequest } from '../sources/cloud-peer.ts';
import { type CheckCounts, countChecks } from './counts.ts';
import { digestFile } from './make-digest.ts';
import { GRAPHQL_CONTRACTS, type GraphqlContractName } from './table.ts';

export interface OpenGraphqlContract {
  readonly counts: CheckCounts;
  /**
   * Answers a request whose body is `{ query, variables }`, with graphql-js. Throws a GraphQLError when the schema does
   * not allow the request, or when the fake has a value that the schema does not allow. An error that the fake itself
   * throws needs `extensions`, and becomes a part of the answer.
   */
  answer(
    request: PeerRequest,
    world: {
      readonly rootValue: unknown;
      readonly fieldResolver: GraphQLFieldResolver<any, unknown>;
    },
  ): Promise<PeerAnswer>;
}

interface Readable {
  readonly document: DocumentNode;
  readonly wrong: GraphQLError | undefined;
  /** The variables that the query has. */
  readonly names: readonly string[];
}

const opened = new Map<string, OpenGraphqlContract>();

/** A contract is opened once in a process, so all fakes of a test file share its counts. */
export function openGraphqlContract(name: GraphqlContractName): OpenGraphqlContract {
  const known = opened.get(name);
  if (known) return known;
  const { title } = GRAPHQL_CONTRACTS[name];
  const schema = buildSchema(readFileSync(digestFile(name), 'utf8'));
  const counts = countChecks(GRAPHQL_CONTRACTS[name]);
  /** A connector has few queries, and it takes longer to validate one than to answer it. */
  const documents = new Map<string, Readable>();
  const readable = (query: string): Readable => {
    const known = documents.get(query);
    if (known) return known;
    const document = parse(query);
    const definitions = document.definitions.flatMap((one) =>
      one.kind === Kind.OPERATION_DEFINITION ? (one.variableDefinitions ?? []) : [],
    );
    const [wrong] = validate(schema, document);
    const names = definitions.map(({ variable }) => variable.name.value);
    const read = { document, wrong, names };
    documents.set(query, read);
    return read;
  };
  const contract: OpenGraphqlContract = {
    counts,
    async answer({ body }, world) {
      counts.requests++;
      const { query, variables } = JSON.parse(body);
      const { document, wrong, names } = readable(query);
      const unknown = Object.keys(variables ?? {}).filter((one) => !names.includes(one));
      if (wrong) throw wrong;
      if (unknown.length > 0) throw new Error(`${title}: the query has no variable ${unknown}`);
      const result = await execute({ schema, document, variableValues: variables, ...world });
      counts.answers++;
      const own = result.errors?.find(({ extensions }) => Object.keys(extensions).length === 0);
      if (own) throw own;
      return json(200, result);
    },
  };
  opened.set(name, contract);
  return contract;
}
