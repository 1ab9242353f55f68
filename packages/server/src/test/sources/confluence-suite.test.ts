/** Runs the shared suites of a source of the cloud against the fake of Confluence. */
import { confluence } from '../../sources/catalog/confluence.ts';
import { testCloudSource } from './cloud-suite.ts';
import { openConfluenceCloud } from './confluence-cloud.ts';
import { testSource } from './harness.ts';

testCloudSource(confluence, openConfluenceCloud);

testSource(confluence, async () => {
  const { peer, credentials, config } = await openConfluenceCloud();
  return {
    credentials,
    config,
    close: peer.close,
    wrong: [
      {
        name: 'token',
        credentials: { ...credentials, api_token: 'no' },
        kind: 'auth',
        says: /does not accept the e-mail address and API token/,
      },
      {
        name: 'space',
        config: { ...config, spaces: ['NO'] },
        kind: 'config',
        says: /no space with the key NO/,
      },
    ],
  };
});
