import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { authorizationUrl } from './code-flow.ts';

describe('the address at which the issuer asks a person', () => {
  const flow = {
    client: { id: 'us', secret: 'secret' },
    redirectUri: 'https://quarry.example.com/v1/auth/callback',
    secrets: { state: 's', nonce: 'n', verifier: 'v' },
  };
  const at = (authorization_endpoint?: string) =>
    authorizationUrl({ issuer: 'https://login.example.com', authorization_endpoint }, flow);

  it('[MEM-09] keeps the parameters of the issuer, and does not show the verifier or the secret', () => {
    const url = new URL(at('https://login.example.com/authorize?tenant=one'));
    assert.equal(url.searchParams.get('tenant'), 'one');
    assert.equal(url.searchParams.get('code_challenge')?.length, 43);
    assert.ok(![...url.searchParams.values()].some((value) => ['v', 'secret'].includes(value)));
  });

  it('[MEM-09] must be confidential', () => {
    for (const endpoint of ['http://login.example.com/', 'javascript:alert(1)'])
      assert.throws(() => at(endpoint), { name: 'IssuerFailure', message: /must use https/ });
    assert.throws(() => at(), { message: /have no authorization_endpoint/ });
    assert.ok(at('http://127.0.0.1:8080/authorize').startsWith('http://127.0.0.1:8080/'));
  });
});
