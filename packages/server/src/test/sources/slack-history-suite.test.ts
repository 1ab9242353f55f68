/** Runs the shared suites with the source that copies Slack. */
import { slackHistory } from '../../sources/catalog/slack-history.ts';
import { testCloudSource } from './cloud-suite.ts';
import { testSource } from './harness.ts';
import { openSlackCompany, type SlackRecord } from './slack-company.ts';

const open = () => openSlackCompany({ recordId });

/** A file may be shared by several messages, so its id begins with that of its message. */
function recordId({ kind, channelKind, channelId, ts, fileId }: SlackRecord): string | null {
  if (kind === 'system' || channelKind === 'im' || channelKind === 'mpim') return null;
  return [channelId, ts, fileId].filter((one) => one !== null).join('/');
}

testCloudSource(slackHistory, open);

testSource(slackHistory, async () => {
  const { peer, credentials, lobby } = await open();
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
