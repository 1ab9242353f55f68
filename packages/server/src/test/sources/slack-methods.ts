/** Answers the methods of Slack's Web API from a workspace. */
import { must } from '../../util.ts';
import { makeSlackConversations, type SlackParts } from './slack-conversations.ts';
import { makeSlackPager } from './slack-paging.ts';
import type { SlackGiven, SlackRow } from './slack-records.ts';
import { needScopes, refuse } from './slack-refusal.ts';
import { makeSlackSearch } from './slack-search.ts';
import { makeSlackShapes } from './slack-shapes.ts';

export function makeSlackMethods({ world, settings, baseUrl }: Omit<SlackParts, 'show' | 'pager'>) {
  const show = makeSlackShapes(world);
  const pager = makeSlackPager(settings);
  const conversations = makeSlackConversations({ world, settings, show, pager, baseUrl });
  const search = makeSlackSearch(world, show);
  const userOf = (id: string) =>
    show.user(must(world.users.get(id)), settings.scopes.has('users:read.email'));

  function fileInfo({ file: id }: SlackGiven, me: string): SlackRow {
    needScopes(settings, 'files:read');
    const file = world.files.get(id ?? '');
    const shares = [...world.channels.values()].filter(
      (channel) =>
        world.canSee(channel, me) && channel.messages.some(({ files }) => files.includes(id ?? '')),
    );
    if (!file || (shares.length === 0 && !file.isDeleted)) return refuse('file_not_found');
    if (file.isDeleted) return refuse('file_deleted');
    return { file: show.file(file, baseUrl()), comments: [] };
  }

  const methods: Readonly<Record<string, (given: SlackGiven, me: string) => SlackRow>> = {
    'auth.test': (_, me) => ({
      url: 'https://acme.slack.com/',
      team: 'Acme',
      team_id: world.team,
      user: must(world.users.get(me)).name,
      user_id: me,
      ...(me === world.bot.id && { bot_id: world.botId }),
      is_enterprise_install: false,
    }),
    'team.info'() {
      needScopes(settings, 'team:read');
      return {
        team: {
          id: world.team,
          name: 'Acme',
          domain: 'acme',
          email_domain: 'acme.example',
          icon: {},
        },
      };
    },
    'conversations.history': conversations.history,
    'conversations.replies': conversations.replies,
    'conversations.members': conversations.members,
    'conversations.list': (given, me) => conversations.list(given, me, () => true),
    'conversations.info': conversations.info,
    'users.conversations': (given, me) =>
      conversations.list(given, me, (one) => one.members.has(given.user ?? me)),
    'users.list'(given) {
      needScopes(settings, 'users:read');
      const { rows, metadata } = pager.page(
        [...world.users.keys()].map((row) => ({ key: row, row })),
        given,
      );
      return { members: rows.map(userOf), cache_ts: 1_700_000_000, ...metadata };
    },
    'users.info'({ user = '' }) {
      needScopes(settings, 'users:read');
      return { user: world.users.has(user) ? userOf(user) : refuse('user_not_found') };
    },
    'usergroups.list'({ include_users }) {
      needScopes(settings, 'usergroups:read');
      const isFull = include_users === 'true' || include_users === '1';
      return {
        usergroups: world.groups.map(({ users, ...group }) =>
          isFull ? { ...group, users } : group,
        ),
      };
    },
    'usergroups.users.list'({ usergroup }) {
      needScopes(settings, 'usergroups:read');
      const group = world.groups.find(({ id }) => id === usergroup);
      return { users: group ? group.users : refuse('no_such_subteam') };
    },
    'files.info': fileInfo,
    'search.messages'(given, me) {
      if (me === world.bot.id) refuse('not_allowed_token_type');
      needScopes(settings, 'search:read');
      return search(given, me);
    },
  };
  return { methods, forgetCursors: pager.forget };
}
