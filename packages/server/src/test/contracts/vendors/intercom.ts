/** The contract of Intercom. */
import type { HttpContract } from '../contract.ts';

export const INTERCOM: HttpContract = {
  title: 'Intercom API',
  origin: {
    address:
      'https://github.com/intercom/Intercom-OpenAPI/blob/main/descriptions/2.15/api.intercom.io.yaml',
    date: '2026-08-21',
    license: 'MIT',
    file: 'intercom-2.15.yaml',
  },
  operations: [
    'GET /me',
    'GET /admins',
    'POST /conversations/search',
    'GET /conversations/{conversation_id}',
    'POST /tickets/search',
    'GET /help_center/collections',
    'GET /articles',
    'GET /articles/{article_id}',
  ],
  amendments: [
    {
      reason:
        'Searches can be sorted (https://github.com/intercom/Intercom-OpenAPI/issues/114; the document speaks of it at the search for contacts).',
      takes: {
        'POST /conversations/search': ['sort'],
        'POST /tickets/search': ['sort'],
      },
    },
    {
      reason:
        'The lists of the help center have numbered pages, as their answers and intercom-client 7.0.3 say.',
      takes: {
        'GET /help_center/collections': ['page', 'per_page'],
        'GET /articles': ['page', 'per_page'],
      },
    },
  ],
};
