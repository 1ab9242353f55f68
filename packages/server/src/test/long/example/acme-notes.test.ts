/** Tests the source of Acme notes against a fake of the service. */
import { testCloudSource } from '../../sources/cloud-suite.ts';
import { acmeNotes } from './acme-notes.ts';
import { openAcmeNotes } from './acme-notes-peer.ts';

testCloudSource(acmeNotes, openAcmeNotes);
