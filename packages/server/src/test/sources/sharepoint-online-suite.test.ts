/** Runs the shared suites of a source of the cloud against the fake of Microsoft Graph, with files in SharePoint. */
import { sharepointOnline } from '../../sources/catalog/sharepoint-online.ts';
import { testCloudSource } from './cloud-suite.ts';
import { APP_CREDENTIALS, withAppToken } from './graph-house.ts';
import { testSource } from './harness.ts';
import { openSharepointCompany, type SharepointRecord } from './sharepoint-company.ts';

/** The source makes records of files alone. */
const recordId = ({ kind, isPersonal, driveId, itemId }: SharepointRecord): string | null =>
  isPersonal || !['file', 'empty'].includes(kind) ? null : `${driveId}/${itemId}`;

async function open() {
  const company = await openSharepointCompany({ recordId, credentials: APP_CREDENTIALS });
  const { refusals } = company;
  // Two of the refusals differ only in their code, and the suite takes long for each.
  return { ...company, refusals: { ...refusals, rateLimited: refusals.rateLimited.slice(1) } };
}

testCloudSource(withAppToken(sharepointOnline), open);

testSource(withAppToken(sharepointOnline), async () => {
  const { peer, credentials, settings } = await open();
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
