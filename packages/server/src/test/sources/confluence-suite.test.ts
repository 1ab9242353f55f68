/** Runs the shared suites of a source of the cloud against the fake of Confluence. */
import { confluence } from '../../sources/catalog/confluence.ts';
import { testCloudSource } from './cloud-suite.ts';
import { type ConfluenceCompany, openConfluenceCompany } from './confluence-company.ts';
import { recordId } from './confluence-ids.ts';
import { testSource } from './harness.ts';

async function open(): Promise<ConfluenceCompany> {
  const company = await openConfluenceCompany({ recordId, config: (site) => ({ site }) });
  // Most listings still have several pages, and a sync has a third of the requests.
  company.settings.largestPage = 8;
  // The same settings are right with OAuth when the site of the company was granted.
  for (const site of company.settings.gate.sites) site.url = company.peer.baseUrl;
  return company;
}

testCloudSource(confluence, open);

testSource(confluence, async () => {
  const { peer, credentials, config } = await open();
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
