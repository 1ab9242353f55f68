/** Runs the shared suites with the source that copies Slack. */
import { slackHistory } from '../../sources/catalog/slack-history.ts';
import { testCloudSource } from './cloud-suite.ts';
import { testSource } from './harness.ts';
import { openSlackCloud } from './slack-cloud.ts';

testCloudSource(slackHistory, openSlackCloud);

testSource(slackHistory, async () => {
  const { peer, credentials, lobby } = await openSlackCloud();
  return {
    credentials,
    operatorBaseUrl: peer.baseUrl,
    close: peer.close,
    wrong: [
      {
        name: 'token',
        credentials: { access_token: 'xoxb-no' },
        kind: 'auth',
        says: /invalid_auth/,
      },
      {
        name: 'channels of which the app is not a member',
        config: { channels: [lobby.id, 'C1'] },
        kind: 'config',
        says: new RegExp(`not in the channels ${lobby.id}, C1`),
      },
    ],
  };
});
