/** Tests the source of Acme notes against a fake of the service. */
import { testCloudSource } from '../../sources/cloud-suite.ts';
import { testSource } from '../../sources/harness.ts';
import { acmeNotes } from './acme-notes.ts';
import { openAcmeNotes } from './acme-notes-peer.ts';

testCloudSource(acmeNotes, openAcmeNotes);

testSource(acmeNotes, async () => {
  const { peer, config, credentials } = await openAcmeNotes();
  return {
    config,
    credentials,
    operatorBaseUrl: peer.baseUrl,
    close: peer.close,
    wrong: [
      { name: 'key', credentials: { key: 'wrong' }, kind: 'auth', says: /This key is not known/ },
    ],
  };
});
