import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { must } from '../util.ts';
import { catalog } from './catalog.ts';
import { movedField, strangeField } from './servers.ts';

const source = (name: string) => must(catalog.get(name));
const moved = (name: string, before: object, after: object, method = 'direct' as const) =>
  movedField(source(name), method, [{ ...before }, { ...after }]);

describe('the servers to which sources send credentials', () => {
  it('are named by a marked field in every source whose configuration has an address', () => {
    const unmarked = [...catalog.values()].flatMap(({ shortName, config, auth }) =>
      Object.keys(config.shape)
        .filter((name) => /^(url|site|endpoint|host|server|base_url)$/.test(name) && auth.direct)
        .filter(
          (name) =>
            moved(shortName, { [name]: 'https://a.test' }, { [name]: 'https://b.test' }) !== name,
        )
        .map((name) => `${shortName}.${name}`),
    );
    assert.deepEqual(unmarked, []);
  });

  it('are other ones with another protocol, host or port, and not with another path', () => {
    for (const url of ['http://a.test/x', 'https://b.test/x', 'https://a.test:8443/x', undefined])
      assert.equal(moved('git', { url: 'https://a.test/x' }, { url }), 'url', url);
    assert.equal(
      moved('git', { url: 'https://a.test/x' }, { url: 'https://a.test/y?z' }),
      undefined,
    );
    assert.equal(moved('git', { url: 'git@a.test:x.git' }, { url: 'git@b.test:x.git' }), 'url');
  });

  it('of an API token of Atlassian are the sites, and of OAuth always the gateway', () => {
    const sites = [
      { site: 'https://a.atlassian.net' },
      { site: 'https://b.atlassian.net' },
    ] as const;
    assert.equal(movedField(source('jira'), 'direct', sites), 'site');
    assert.equal(movedField(source('jira'), 'oauth_browser', sites), undefined);
  });

  it('are strange unless the source or the operator names them', () => {
    const own = { base_url: 'https://github.acme.test/api/v3' };
    const strange = (tokenUrl?: string) =>
      strangeField({ ...source('github'), operator: { tokenUrl } }, 'oauth_browser', own);
    assert.equal(
      strangeField(source('github'), 'oauth_browser', { base_url: 'https://api.github.com' }),
      undefined,
    );
    assert.equal(strange(), 'base_url');
    assert.equal(strange('https://github.acme.test/login/oauth/access_token'), undefined);
    assert.equal(strange('https://login.acme.test/token'), 'base_url');
  });
});
