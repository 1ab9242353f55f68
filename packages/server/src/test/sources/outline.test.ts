/** Tests the source of Outline against a fake that is checked by Outline's own document. */
import { outline } from '../../sources/catalog/outline.ts';
import { testCloudSource } from './cloud-suite.ts';
import { testSource } from './harness.ts';
import { openOutlineCompany } from './outline-company.ts';

testCloudSource(outline, openOutlineCompany);

testSource(outline, async () => {
  const { peer, config, credentials } = await openOutlineCompany();
  return {
    config,
    credentials,
    close: peer.close,
    wrong: [
      {
        name: 'key',
        credentials: { api_key: 'no' },
        kind: 'auth',
        says: /authentication_required/,
      },
      {
        name: 'collection',
        config: { ...config, collections: ['nowhere'] },
        kind: 'config',
        says: /collections nowhere$/,
      },
    ],
  };
});
