/** Runs the shared suites of a source of the cloud against the fake of Microsoft Graph, with mail in Outlook. */
import { outlookMail } from '../../sources/catalog/outlook-mail.ts';
import { testCloudSource } from './cloud-suite.ts';
import { withAppToken } from './graph-house.ts';
import { GRAPH_PERSON_TOKEN } from './graph-tokens.ts';
import { testSource } from './harness.ts';
import { openOutlookCloud } from './outlook-cloud.ts';

// The suite also signs in a person, who must see the same as the connection with credentials.
testCloudSource(withAppToken(outlookMail, GRAPH_PERSON_TOKEN), () => openOutlookCloud());

testSource(withAppToken(outlookMail), async () => {
  const { peer, credentials, settings } = await openOutlookCloud(true);
  settings.largestPage = 1000;
  return {
    credentials,
    config: {},
    operatorBaseUrl: peer.baseUrl,
    close: peer.close,
    wrong: [
      {
        name: 'mailbox',
        config: { mailboxes: ['nobody@acme.example'] },
        kind: 'config',
        says: /the organization has no person 'nobody@acme.example'/,
      },
    ],
  };
});
