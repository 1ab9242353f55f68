import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createDiscovery } from '../../../issuer/discovery.ts';
import { createAsk } from '../../../issuer/issuer-client.ts';
import { anywhere } from '../../environment.ts';
import { type Issuer, json, openIssuer } from './issuer.ts';

const NOON = Date.UTC(2026, 0, 1, 12);
const HOUR = 3_600_000;

describe('the metadata of an issuer', () => {
  let issuer: Issuer;

  before(async () => {
    issuer = await openIssuer();
  });
  after(() => issuer.close());
  beforeEach(() => {
    issuer.heal();
    delete issuer.answers[issuer.METADATA];
  });

  const discoveryOf = (name: string) => createDiscovery(createAsk(name, anywhere.send), name);

  it('is found at every address of the standards, with or without a path in the name of the issuer', async () => {
    const realm = `${issuer.issuer}/realms/one`;
    for (const [name, path] of [
      [issuer.issuer, '/.well-known/oauth-authorization-server'],
      [issuer.issuer, '/.well-known/openid-configuration'],
      [realm, '/.well-known/oauth-authorization-server/realms/one'],
      [realm, '/.well-known/openid-configuration/realms/one'],
      [realm, '/realms/one/.well-known/openid-configuration'],
    ] as const) {
      issuer.answers[path] = json({ issuer: name, jwks_uri: `${name}/keys` });
      assert.deepEqual(await discoveryOf(name)(), { issuer: name, jwks_uri: `${name}/keys` }, path);
      delete issuer.answers[path];
    }
  });

  it('must name the same issuer, with or without a slash at the end', async () => {
    const path = '/.well-known/openid-configuration';
    issuer.answers[path] = json({ issuer: `${issuer.issuer}/` });
    assert.equal((await discoveryOf(issuer.issuer)()).issuer, `${issuer.issuer}/`);
    issuer.answers[path] = json({ issuer: 'https://other.example' });
    const message = /names the issuer 'https:\/\/other\.example': set QUARRY_OAUTH_ISSUER/;
    await assert.rejects(discoveryOf(issuer.issuer)(), { name: 'IssuerFailure', message });
  });

  it('is requested once an hour, even for many callers', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: NOON });
    issuer.answers[issuer.METADATA] = json(issuer.metadata);
    const discover = discoveryOf(issuer.issuer);
    await Promise.all(Array.from({ length: 100 }, discover));
    t.mock.timers.setTime(NOON + HOUR - 1);
    await discover();
    assert.equal(issuer.count(issuer.METADATA), 1);
    t.mock.timers.setTime(NOON + HOUR);
    await discover();
    assert.equal(issuer.count(issuer.METADATA), 2);
  });
});
