import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { catalog } from '../../sources/catalog.ts';
import { describeSource } from '../../sources/describe.ts';
import { must } from '../../util.ts';
import { quarryShortName, translateConfig } from './translate-config.ts';

const sourceOf = (shortName: string) => {
  const source = must(catalog.get(quarryShortName(shortName)), shortName);
  return { source, type: { ...describeSource(source), redirect_uri: null } };
};

/** These are settings as Airweave stores them, with all that its forms leave open. */
const STORED: [shortName: string, config: Record<string, unknown>, kept: object, left: string[]][] =
  [
    [
      'github',
      { repo_name: 'acme/shop', branch: '', sync_pull_requests: false },
      { repositories: ['acme/shop'], kinds: ['files'] },
      [],
    ],
    [
      'github',
      { repo_name: 'acme/shop', branch: 'main', sync_pull_requests: true },
      { repositories: ['acme/shop'], kinds: ['files', 'pull_requests'], branch: 'main' },
      [],
    ],
    [
      'gmail',
      {
        after_date: '2025/01/31',
        included_labels: ['inbox', 'sent'],
        excluded_labels: ['spam', 'trash'],
        excluded_categories: ['promotions', 'social'],
        gmail_query: null,
      },
      {
        after_date: '2025/01/31',
        included_labels: ['inbox', 'sent'],
        excluded_labels: ['spam', 'trash'],
        excluded_categories: ['promotions', 'social'],
      },
      [],
    ],
    [
      'outlook_mail',
      { after_date: '2025/01/31', included_folders: ['inbox'], excluded_folders: ['junkemail'] },
      { after_date: '2025-01-31', included_folders: ['inbox'], excluded_folders: ['junkemail'] },
      [],
    ],
    ['google_drive', { include_patterns: ['bills/*'] }, {}, ['include_patterns']],
    ['google_drive', { include_patterns: [] }, {}, []],
    [
      'intercom',
      { exclude_closed_conversations: true },
      { exclude_closed_conversations: true },
      [],
    ],
    [
      'jira',
      { project_keys: ['OPS'], zephyr_scale_api_token: null },
      { project_keys: ['OPS'] },
      [],
    ],
    [
      'sharepoint_online_app',
      {
        site_url: 'https://acme.sharepoint.com/sites/x',
        include_personal_sites: false,
        include_pages: true,
      },
      { site_url: 'https://acme.sharepoint.com/sites/x', include_personal_sites: false },
      ['include_pages'],
    ],
    ['linear', {}, {}, []],
  ];

describe('translateConfig', () => {
  for (const [shortName, stored, kept, left] of STORED)
    it(`keeps the settings of ${shortName} that Quarry has, in a form that it takes: ${JSON.stringify(kept)}`, () => {
      const { source, type } = sourceOf(shortName);
      const { config, leftOut } = translateConfig(type, stored);
      assert.deepEqual([config, leftOut], [kept, left]);
      assert.deepEqual(source.config.safeParse(config).error?.issues, undefined);
    });

  it('invents no repository for a github connection that names none', () => {
    const { config } = translateConfig(sourceOf('github').type, { repo_name: '' });
    assert.deepEqual(config, { kinds: ['files'] });
  });
});
