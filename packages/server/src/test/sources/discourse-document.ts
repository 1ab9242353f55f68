/** Knows the document of the API of Discourse, by which the fake completes and checks its answers. */
import { must } from '../../util.ts';
import { completer } from '../contracts/complete.ts';
import type { JsonSchema } from '../contracts/json-schema.ts';
import { openContract } from '../contracts/open-contract.ts';

export const FORUM_CONTRACT = openContract('discourse');
const answerTo = (operation: string) =>
  must(FORUM_CONTRACT.digest.operations[operation]?.answers['200']?.['application/json']);
const inside = (schema: JsonSchema, ...path: string[]) =>
  path.reduce(
    (at, key) => must(key === '[]' ? at.items : at.properties?.[key]) as JsonSchema,
    schema,
  );
/** Completes an answer, or a part of one, with what the document requires. It has no schemas with names. */
export const complete = completer(
  {
    category: inside(answerTo('GET /site.json'), 'categories', '[]'),
    shown: answerTo('GET /c/{id}/show.json'),
    site: answerTo('GET /site.json'),
    about: answerTo('GET /site/basic-info.json'),
    listed: inside(answerTo('GET /posts.json'), 'latest_posts', '[]'),
    post: answerTo('GET /posts/{id}.json'),
    topic: answerTo('GET /t/{id}.json'),
    member: inside(answerTo('GET /groups/{name}/members.json'), 'members', '[]'),
    members: answerTo('GET /groups/{name}/members.json'),
    user: inside(answerTo('GET /admin/users/list/{flag}.json'), '[]'),
  },
  'Discourse',
);
