import assert from 'node:assert/strict';
import { it } from 'node:test';
import { must } from '../../util.ts';
import { DATABASES } from '../databases.ts';
import { openIssuer } from '../mcp/oauth/issuer.ts';
import { openTestQuarry } from './quarry.ts';

for (const database of DATABASES)
  it(`[MCP-10] a process with an OAuth issuer accepts the tokens of that issuer, on ${database.name}`, async () => {
    const issuer = await openIssuer();
    const env = {
      QUARRY_OAUTH_ISSUER: issuer.issuer,
      QUARRY_PUBLIC_URL: 'https://quarry.example.com',
    };
    const quarry = await openTestQuarry(await database.open(), { env });
    try {
      await quarry.ok('POST', '/v1/collections', { name: 'Notes', readable_id: 'notes' });
      const metadata = await quarry.ok('GET', '/.well-known/oauth-protected-resource');
      assert.equal(metadata.resource, 'https://quarry.example.com/mcp');
      const token = await issuer.sign({
        aud: metadata.resource,
        email: 'owner@localhost',
        email_verified: true,
      });
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
      const authorization = `Bearer ${token}`;
      const { result } = await quarry.ok('POST', '/mcp', message, { authorization });
      assert.equal(must(result.tools[0]).name, 'search-notes');
    } finally {
      await quarry.close();
      await issuer.close();
    }
  });
