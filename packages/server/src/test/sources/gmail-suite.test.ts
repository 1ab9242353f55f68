/** Tests gmail as every source of a cloud service is tested: with the mailbox of a person, and with an organization. */
import { gmail } from '../../sources/catalog/gmail.ts';
import { testCloudSource } from './cloud-suite.ts';
import { openGmailOfOrganization, openGmailOfPerson } from './gmail-cloud.ts';
import { ANN } from './gmail-peer.ts';
import { type Peer, testSource } from './harness.ts';

testCloudSource(gmail, openGmailOfPerson);
testCloudSource(
  { ...gmail, auth: { direct: gmail.auth.direct } } as typeof gmail,
  openGmailOfOrganization,
  'gmail_organization',
);

testSource(gmail, async (): Promise<Peer> => {
  const { peer, serviceAccount, settings, config } = await openGmailOfPerson();
  const credentials = { service_account: serviceAccount, subject: ANN };
  settings.disabled.add('bob@acme.example');
  const robot = { service_account: serviceAccount };
  return {
    operatorBaseUrl: peer.baseUrl,
    config,
    credentials,
    wrong: [
      {
        name: 'a service account by itself',
        credentials: robot,
        kind: 'config',
        says: /the account has no mailbox at Gmail/,
      },
      {
        name: 'a person without mail',
        config: { users: ['bob@acme.example'] },
        kind: 'config',
        says: /bob@acme\.example has no mailbox at Gmail/,
      },
      {
        name: 'a person of another company',
        config: { users: [ANN, 'eve@other.example'] },
        kind: 'config',
        says: /eve@other\.example has a mailbox that cannot be read.*Invalid email/,
      },
      {
        name: 'an organization whose directory the delegation does not allow',
        config: { all_users: true },
        kind: 'auth',
        says: /unauthorized_client/,
      },
      {
        name: 'a label that does not exist',
        config: { included_labels: ['inbox', 'Nowhere'] },
        kind: 'config',
        says: /the mailbox has no label 'Nowhere'/,
      },
    ],
    close: () => peer.close(),
  };
});
