/** Tests the checks of queries and answers by the digest of Linear's schema. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GraphQLError } from 'graphql';
import { openGraphqlContract } from './graphql-contract.ts';

const contract = openGraphqlContract('linear');
const TEAMS = 'query ($after: String) { teams(after: $after) { nodes { id name } } }';
const world = { nodes: [{ id: '1', name: 'Engineering' }] };

async function ask(query: string, variables: object = {}, teams: unknown = world) {
  const request = {
    method: 'POST',
    url: new URL('http://localhost/graphql'),
    headers: {},
    body: JSON.stringify({ query, variables }),
    at: 0,
  };
  const { body } = await contract.answer(request, {
    rootValue: { teams },
    fieldResolver: (source, _args, _context, { fieldName }) => {
      const value = source[fieldName];
      return typeof value === 'function' ? value() : value;
    },
  });
  return JSON.parse(String(body));
}

describe('the contract of a GraphQL schema', () => {
  it('answers what the schema allows, and counts it', async () => {
    const before = { ...contract.counts };
    assert.deepEqual(await ask(TEAMS, { after: null }), { data: { teams: world } });
    const { requests, answers } = contract.counts;
    assert.deepEqual([requests - before.requests, answers - before.answers], [1, 1]);
  });

  it('refuses fields, arguments, values and variables that the schema does not have', async () => {
    await assert.rejects(ask('{ teams { nodes { title } } }'), /Cannot query field "title"/);
    await assert.rejects(ask('{ teams(before: "a") { nodes { id } } }'), /Unknown argument/);
    await assert.rejects(ask('{ issues(orderBy: title) { nodes { id } } }'), /does not exist/);
    await assert.rejects(ask(TEAMS, { after: 7 }), /String cannot represent/);
    await assert.rejects(ask(TEAMS, { before: 'a' }), /no variable before/);
  });

  it('refuses answers of the fake that the schema does not allow, but not its refusals', async () => {
    await assert.rejects(ask(TEAMS, {}, { nodes: [{ id: '1', name: null }] }), /non-nullable/);
    const refusal = new GraphQLError('No access', { extensions: { type: 'forbidden' } });
    const { errors } = await ask(TEAMS, {}, () => {
      throw refusal;
    });
    assert.equal(errors[0].extensions.type, 'forbidden');
  });
});
