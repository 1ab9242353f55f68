/** Tests the source Discourse against a fake whose exchanges are checked by the document of its API. */
import { discourse } from '../../sources/catalog/discourse.ts';
import { FORUM_CREDENTIALS, fill } from './discourse-company.ts';
import { openForum } from './discourse-peer.ts';
import { testSource } from './harness.ts';

testSource(discourse, async () => {
  const forum = await openForum();
  fill(forum);
  const config = { url: forum.peer.baseUrl };
  return {
    config,
    credentials: FORUM_CREDENTIALS,
    close: forum.peer.close,
    wrong: [
      {
        name: 'key',
        credentials: { ...FORUM_CREDENTIALS, api_key: 'wrong' },
        kind: 'auth',
        says: /refuses the key or the user name/,
      },
      {
        name: 'category',
        config: { ...config, categories: ['1', '99'] },
        kind: 'config',
        says: /does not show the category '99'/,
      },
    ],
  };
});
