/** Runs the shared suites of a source of the cloud against the fake of Jira. */
import { jira } from '../../sources/catalog/jira.ts';
import { testCloudSource } from './cloud-suite.ts';
import { testSource } from './harness.ts';
import { openJiraCloud } from './jira-cloud.ts';

testCloudSource(jira, openJiraCloud);

testSource(jira, async () => {
  const { peer, credentials, config } = await openJiraCloud();
  return {
    config,
    credentials,
    close: peer.close,
    wrong: [
      {
        name: 'token',
        credentials: { ...credentials, api_token: 'no' },
        kind: 'auth',
        says: /e-mail address and API token/,
      },
      { name: 'no site', config: {}, kind: 'config', says: /the site is missing/ },
      {
        name: 'projects that may not be browsed, or do not exist',
        config: { ...config, project_keys: ['OPS', 'HID', 'NONE'] },
        kind: 'config',
        says: /may not browse the projects HID, NONE/,
      },
    ],
  };
});
