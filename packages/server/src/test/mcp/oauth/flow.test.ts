/** Tests whole sign-ins against an authorization server and with clients that were not written for Quarry. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Client as NewClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { DATABASES } from '../../databases.ts';
import {
  type AuthorizationServer,
  openAuthorizationServer,
  type Person,
  RESOURCE_SERVER,
} from './authorization-server.ts';
import { type OAuthHouse, openOAuthHouse } from './house.ts';
import { signInAs } from './sign-in.ts';

type SignIn = ReturnType<typeof signInAs>;

async function byOldClient(house: OAuthHouse, { provider, returned }: SignIn) {
  const url = new URL(house.resource);
  const transport = () => new OldTransport(url, { authProvider: provider as never });
  const first = transport();
  const client = new OldClient({ name: 'old', version: '1' });
  await assert.rejects(client.connect(first as never), /Unauthorized/);
  await first.finishAuth((await returned()).get('code') ?? '');
  await client.connect(transport() as never);
  return client;
}

const byNewClient =
  (mode: 'legacy' | 'auto') =>
  async (house: OAuthHouse, { provider, returned }: SignIn) => {
    const url = new URL(house.resource);
    const transport = () =>
      new StreamableHTTPClientTransport(url, { authProvider: provider as never });
    const open = () =>
      new NewClient({ name: 'new', version: '1' }, { versionNegotiation: { mode } });
    const first = transport();
    await assert.rejects(open().connect(first), /nauthorized/);
    await first.finishAuth(await returned());
    const client = open();
    await client.connect(transport());
    return client;
  };

for (const database of DATABASES)
  for (const format of ['jwt', 'opaque'] as const)
    describe(`signing in at an authorization server, ${format} tokens, ${database.name}`, () => {
      const people: Person[] = [];
      let server: AuthorizationServer;
      let house: OAuthHouse;

      before(async () => {
        server = await openAuthorizationServer(format, people);
        const client = format === 'opaque' ? RESOURCE_SERVER : null;
        house = await openOAuthHouse(database, server.issuer, { client });
        for (const [sub, collections] of [
          ['ada', ['ships', 'tides']],
          ['bob', ['engines']],
        ] as const) {
          const owner = await house.stranger();
          people.push({ sub, email: owner.email, email_verified: true });
          for (const id of collections) await house.addCollection(owner, id);
        }
      });
      after(async () => {
        await house.close();
        await server.close();
      });

      for (const [name, connect] of [
        ['the v1 client', byOldClient],
        ['the v2 client with sessions', byNewClient('legacy')],
        ['the v2 client of revision 2026-07-28', byNewClient('auto')],
      ] as const)
        it(`[MCP-10] [MCP-11] ${name} registers, signs in and searches the collections of the account`, async () => {
          const signIn = signInAs('ada');
          const client = await connect(house, signIn);
          try {
            assert.equal(signIn.kept.asked.searchParams.get('resource'), house.resource);
            assert.equal(signIn.kept.asked.searchParams.get('code_challenge_method'), 'S256');
            assert.equal(
              signIn.kept.tokens.access_token.split('.').length,
              format === 'jwt' ? 3 : 1,
            );
            const { tools } = await client.listTools();
            const searches = tools.map((tool) => tool.name).filter((tool) => /^search-/.test(tool));
            assert.deepEqual(searches, ['search-ships', 'search-tides']);
            const args = { query: 'lighthouse 2', limit: 1 };
            const found = await client.callTool({ name: 'search-tides', arguments: args });
            const { results } = found.structuredContent as { results: { entity_id: string }[] };
            assert.equal(results[0]?.entity_id, 'tides-2__chunk_0');
            const foreign = { name: 'search-engines', arguments: args };
            await assert.rejects(client.callTool(foreign), /tool 'search-engines' does not exist/);
          } finally {
            await client.close();
          }
        });

      it('[MCP-12] [MCP-13] a token that is revoked at the authorization server is refused here after an hour', async (t) => {
        if (format === 'jwt') return t.skip('a JWT of this server cannot be revoked');
        t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
        const signIn = signInAs('bob');
        const client = await byOldClient(house, signIn);
        await client.close();
        const { access_token: token, refresh_token: other } = signIn.kept.tokens;
        const refresh = await house.list(other);
        assert.equal(refresh.body.error.message, 'Invalid OAuth token');
        const { client_id } = signIn.kept.client;
        const revoked = await fetch(`${server.issuer}/token/revocation`, {
          method: 'POST',
          body: new URLSearchParams({ token, client_id }),
        });
        assert.equal(revoked.status, 200);
        assert.deepEqual((await house.toolNames(token))[0], 'search-engines');
        t.mock.timers.tick(60 * 60_000);
        const { status, body } = await house.list(token);
        const error = { code: -32001, message: 'Invalid OAuth token' };
        assert.deepEqual([status, body.error], [401, error]);
      });
    });
