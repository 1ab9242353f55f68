/** Answers the methods of Slack's Web API from a workspace: what a token may see, page by page. */
import { must } from '../../util.ts';
import { refuse } from './slack-refusal.ts';
import { makeSlackSearch } from './slack-search.ts';
import { makeSlackShapes } from './slack-shapes.ts';
import type {
  SlackChannel,
  SlackChannelKind,
  SlackGiven,
  SlackMessage,
  SlackRow,
  SlackWorld,
} from './slack-world.ts';

/** A page has at most this many items. */
const MOST = 1000;
const KINDS: Readonly<Record<SlackChannelKind, string>> = {
  public_channel: 'channels',
  private_channel: 'groups',
  mpim: 'mpim',
  im: 'im',
};

export interface SlackSettings {
  /** A page of a listing has at most this many items, even when a request asks for more. */
  largestPage: number;
  readonly scopes: Set<string>;
  /** The contents of these channels are refused with this error. */
  readonly forbidden: Map<string, string>;
  /** Every method answers with this error of the token, such as token_expired or account_inactive. */
  tokenError: string | null;
}

interface MethodParts {
  readonly world: SlackWorld;
  readonly settings: SlackSettings;
  readonly baseUrl: () => string;
}

export function makeSlackMethods({ world, settings, baseUrl }: MethodParts) {
  const show = makeSlackShapes(world);
  const search = makeSlackSearch(world, show);
  let epoch = 0;

  function needs(...scopes: string[]): void {
    const needed = scopes.find((scope) => !settings.scopes.has(scope));
    if (needed) refuse('missing_scope', { needed, provided: [...settings.scopes].join(',') });
  }

  /** The rows have keys in their order. A cursor is the last key of its page, so new rows before it do not move others. */
  function paged<Row>(
    rows: readonly { readonly key: string; readonly row: Row }[],
    { cursor, limit = '100' }: SlackGiven,
    { isDescending = false, limitOf = MOST } = {},
  ) {
    const size = Number(limit);
    if (!(size >= 0 && size <= limitOf)) refuse('invalid_limit');
    const [, at, after] = cursor
      ? (/^(\d+):(.*)$/.exec(Buffer.from(cursor, 'base64').toString()) ?? [])
      : [];
    if (cursor && (after === undefined || Number(at) !== epoch)) refuse('invalid_cursor');
    const left = rows
      .toSorted((a, b) => (a.key < b.key === isDescending ? 1 : -1))
      .filter(({ key }) => after === undefined || (isDescending ? key < after : key > after));
    const shown = left.slice(0, Math.min(size || MOST, settings.largestPage));
    const hasMore = left.length > shown.length;
    const next = hasMore ? Buffer.from(`${epoch}:${shown.at(-1)?.key}`).toString('base64') : '';
    return {
      rows: shown.map(({ row }) => row),
      hasMore,
      metadata: { response_metadata: { next_cursor: next } },
    };
  }

  const sees = (channel: SlackChannel, me: string) =>
    channel.kind === 'public_channel' || channel.members.has(me);
  function channelOf({ channel: id }: SlackGiven, me: string): SlackChannel {
    const channel = world.channels.get(id ?? '');
    return channel && sees(channel, me) ? channel : refuse('channel_not_found');
  }
  function readable(given: SlackGiven, me: string): SlackChannel {
    const channel = channelOf(given, me);
    needs(`${KINDS[channel.kind]}:history`);
    if (!channel.members.has(me)) refuse('not_in_channel');
    const forbidden = settings.forbidden.get(channel.id);
    return forbidden ? refuse(forbidden) : channel;
  }

  /** Without `inclusive`, messages at the ends of the range are left out. */
  const within =
    ({ oldest, latest, inclusive }: SlackGiven) =>
    ({ ts }: SlackMessage) => {
      const isAtEnd = inclusive === 'true' || inclusive === '1';
      const [at, from, to] = [ts, oldest ?? '0', latest ?? 'Infinity'].map(Number) as [
        number,
        number,
        number,
      ];
      return isAtEnd ? at >= from && at <= to : at > from && at < to;
    };

  /** History shows the latest messages first, and no replies but those that were also sent to the channel. */
  function history(given: SlackGiven, me: string): SlackRow {
    const channel = readable(given, me);
    const found = channel.messages
      .filter(({ threadTs, subtype }) => threadTs === null || subtype === 'thread_broadcast')
      .filter(within(given))
      .map((row) => ({ key: row.ts, row }));
    const { rows, hasMore, metadata } = paged(found, given, { isDescending: true });
    return {
      messages: rows.map((row) => show.message(channel, row, baseUrl())),
      has_more: hasMore,
      pin_count: 0,
      channel_actions_ts: null,
      channel_actions_count: 0,
      ...(hasMore && metadata),
    };
  }

  /** A thread shows the oldest replies first, and its parent at the begin of every page. */
  function replies(given: SlackGiven, me: string): SlackRow {
    const channel = readable(given, me);
    const parent = channel.messages.find(({ ts }) => ts === given.ts);
    if (!parent) return refuse('thread_not_found');
    const found = world.repliesOf(channel, parent).filter(within(given));
    const { rows, hasMore, metadata } = paged(
      found.map((row) => ({ key: row.ts, row })),
      given,
    );
    return {
      messages: [parent, ...rows].map((row) => show.message(channel, row, baseUrl())),
      has_more: hasMore,
      ...(hasMore && metadata),
    };
  }

  function conversations(
    given: SlackGiven,
    me: string,
    holds: (channel: SlackChannel) => boolean,
  ): SlackRow {
    const kinds = (given.types ?? 'public_channel')
      .split(',')
      .map((kind) => kind.trim()) as SlackChannelKind[];
    if (kinds.some((kind) => !(kind in KINDS))) refuse('invalid_types');
    needs(...kinds.map((kind) => `${KINDS[kind]}:read`));
    const isExcluded = given.exclude_archived === 'true' || given.exclude_archived === '1';
    const found = [...world.channels.values()].filter(
      (one) =>
        kinds.includes(one.kind) && sees(one, me) && holds(one) && !(isExcluded && one.isArchived),
    );
    const { rows, metadata } = paged(
      found.map((row) => ({ key: row.id, row })),
      given,
    );
    return { channels: rows.map((one) => show.channel(one, me)), ...metadata };
  }

  function members(given: SlackGiven, me: string): SlackRow {
    const channel = channelOf(given, me);
    needs(`${KINDS[channel.kind]}:read`);
    const rows = [...channel.members].map((row) => ({ key: row, row }));
    const page = paged(rows, given);
    return { members: page.rows, ...page.metadata };
  }

  const userOf = (id: string) =>
    show.user(must(world.users.get(id)), settings.scopes.has('users:read.email'));

  function fileInfo({ file: id }: SlackGiven, me: string): SlackRow {
    needs('files:read');
    const file = world.files.get(id ?? '');
    const shares = [...world.channels.values()].filter(
      (channel) =>
        sees(channel, me) && channel.messages.some(({ files }) => files.includes(id ?? '')),
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
      needs('team:read');
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
    'conversations.history': history,
    'conversations.replies': replies,
    'conversations.members': members,
    'conversations.list': (given, me) => conversations(given, me, () => true),
    'conversations.info'(given, me) {
      const channel = channelOf(given, me);
      needs(`${KINDS[channel.kind]}:read`);
      return { channel: show.channel(channel, me) };
    },
    'users.conversations': (given, me) =>
      conversations(given, me, (one) => one.members.has(given.user ?? me)),
    'users.list'(given) {
      needs('users:read');
      const { rows, metadata } = paged(
        [...world.users.keys()].map((row) => ({ key: row, row })),
        given,
      );
      return { members: rows.map(userOf), cache_ts: 1_700_000_000, ...metadata };
    },
    'users.info'({ user = '' }) {
      needs('users:read');
      return { user: world.users.has(user) ? userOf(user) : refuse('user_not_found') };
    },
    'usergroups.list'({ include_users }) {
      needs('usergroups:read');
      const isFull = include_users === 'true' || include_users === '1';
      return {
        usergroups: world.groups.map(({ users, ...group }) =>
          isFull ? { ...group, users } : group,
        ),
      };
    },
    'usergroups.users.list'({ usergroup }) {
      needs('usergroups:read');
      const group = world.groups.find(({ id }) => id === usergroup);
      return { users: group ? group.users : refuse('no_such_subteam') };
    },
    'files.info': fileInfo,
    'search.messages'(given, me) {
      if (me === world.bot.id) refuse('not_allowed_token_type');
      needs('search:read');
      return search(given, me);
    },
  };
  return {
    methods,
    forgetCursors() {
      epoch++;
    },
  };
}
