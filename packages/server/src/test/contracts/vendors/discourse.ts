/** The contract of Discourse. Its document is made by the tests of Discourse itself, and describes what an admin gets. */
import { gets, type HttpContract } from '../contract.ts';

export const DISCOURSE: HttpContract = {
  title: 'Discourse API',
  origin: {
    address: 'https://github.com/discourse/discourse_api_docs/blob/main/openapi.json',
    date: '2026-08-20',
    license: 'MIT',
    file: 'discourse.json',
  },
  operations: gets('', [
    '/admin/users/list/{flag}.json',
    '/c/{id}/show.json',
    '/groups/{name}/members.json',
    '/latest.json',
    '/posts.json',
    '/posts/{id}.json',
    '/site.json',
    '/site/basic-info.json',
    '/t/{id}.json',
  ]),
  amendments: [
    {
      reason:
        'A topic of more than 10,000 posts does not list their ids, but names the last one (app/serializers/post_stream_serializer_mixin.rb of Discourse).',
      optional: ['stream', 'timeline_lookup'],
      everywhere: '^(isMegaTopic|lastId)$',
    },
    {
      reason:
        'Only who may edit a category is told its groups (app/serializers/category_serializer.rb of Discourse).',
      optional: ['group_permissions'],
    },
    {
      reason: 'A forum may have nobody who is suspended, and no posts before the first one.',
      emptyLists: true,
    },
    {
      reason:
        'The document has the number of the answered post as a text here, and as a number in the list of replies.',
      retypes: { reply_to_post_number: { type: ['integer', 'null'] } },
    },
    {
      reason:
        'A list of topics has pages, whose addresses are in `more_topics_url` (https://docs.discourse.org).',
      takes: { 'GET /latest.json': ['page'] },
    },
    {
      reason:
        'The list of members answers with a limit and an offset, which it also takes (app/controllers/groups_controller.rb of Discourse).',
      takes: { 'GET /groups/{name}/members.json': ['limit', 'offset'] },
    },
  ],
};
