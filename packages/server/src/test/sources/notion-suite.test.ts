/** Runs the shared suites of a source of the cloud against the fake of Notion. */
import { notion } from '../../sources/catalog/notion.ts';
import { testCloudSource } from './cloud-suite.ts';
import { testSource } from './harness.ts';
import { openNotionCloud } from './notion-cloud.ts';

testCloudSource(notion, openNotionCloud);

testSource(notion, async () => {
  const { peer, credentials } = await openNotionCloud();
  return {
    credentials,
    operatorBaseUrl: peer.baseUrl,
    close: peer.close,
    wrong: [
      {
        name: 'secret',
        credentials: { api_key: 'no' },
        kind: 'auth',
        says: /API token is invalid/,
      },
    ],
  };
});
