/** Runs the shared suites of a source of the cloud against the fake of Microsoft Graph, with files in SharePoint. */
import { sharepointOnline } from '../../sources/catalog/sharepoint-online.ts';
import { testCloudSource } from './cloud-suite.ts';
import { withAppToken } from './graph-house.ts';
import { testSource } from './harness.ts';
import { openSharepointCloud } from './sharepoint-cloud.ts';

testCloudSource(withAppToken(sharepointOnline), openSharepointCloud);

testSource(withAppToken(sharepointOnline), async () => {
  const { peer, credentials, settings } = await openSharepointCloud();
  settings.largestPage = 1000;
  return {
    credentials,
    config: {},
    operatorBaseUrl: peer.baseUrl,
    close: peer.close,
    wrong: [
      {
        name: 'site',
        config: { site_url: 'https://acme.sharepoint.example/sites/none' },
        kind: 'config',
        says: /does not see the site 'https:\/\/acme.sharepoint.example\/sites\/none'/,
      },
    ],
  };
});
