/** Answers what Slack's methods tell of conversations: which a token sees, their messages, threads and members. */
import type { SlackPager } from './slack-paging.ts';
import type {
  SlackChannel,
  SlackChannelKind,
  SlackGiven,
  SlackMessage,
  SlackRow,
} from './slack-records.ts';
import { needScopes, refuse } from './slack-refusal.ts';
import type { SlackSettings } from './slack-settings.ts';
import type { makeSlackShapes } from './slack-shapes.ts';
import type { SlackWorld } from './slack-world.ts';

/** Scopes begin with these words. */
const KINDS: Readonly<Record<SlackChannelKind, string>> = {
  public_channel: 'channels',
  private_channel: 'groups',
  mpim: 'mpim',
  im: 'im',
};

export interface SlackParts {
  readonly world: SlackWorld;
  readonly settings: SlackSettings;
  readonly show: ReturnType<typeof makeSlackShapes>;
  readonly pager: SlackPager;
  readonly baseUrl: () => string;
}

export function makeSlackConversations({ world, settings, show, pager, baseUrl }: SlackParts) {
  function channelOf({ channel: id }: SlackGiven, me: string): SlackChannel {
    const channel = world.channels.get(id ?? '');
    return channel && world.canSee(channel, me) ? channel : refuse('channel_not_found');
  }
  function readable(given: SlackGiven, me: string): SlackChannel {
    const channel = channelOf(given, me);
    needScopes(settings, `${KINDS[channel.kind]}:history`);
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
    const { rows, hasMore, metadata } = pager.page(found, given, { isDescending: true });
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
    const { rows, hasMore, metadata } = pager.page(
      found.map((row) => ({ key: row.ts, row })),
      given,
    );
    return {
      messages: [parent, ...rows].map((row) => show.message(channel, row, baseUrl())),
      has_more: hasMore,
      ...(hasMore && metadata),
    };
  }

  function list(
    given: SlackGiven,
    me: string,
    holds: (channel: SlackChannel) => boolean,
  ): SlackRow {
    const kinds = (given.types ?? 'public_channel')
      .split(',')
      .map((kind) => kind.trim()) as SlackChannelKind[];
    if (kinds.some((kind) => !(kind in KINDS))) refuse('invalid_types');
    needScopes(settings, ...kinds.map((kind) => `${KINDS[kind]}:read`));
    const isExcluded = given.exclude_archived === 'true' || given.exclude_archived === '1';
    const found = [...world.channels.values()].filter(
      (one) =>
        kinds.includes(one.kind) &&
        world.canSee(one, me) &&
        holds(one) &&
        !(isExcluded && one.isArchived),
    );
    const { rows, metadata } = pager.page(
      found.map((row) => ({ key: row.id, row })),
      given,
    );
    return { channels: rows.map((one) => show.channel(one, me)), ...metadata };
  }

  function members(given: SlackGiven, me: string): SlackRow {
    const channel = channelOf(given, me);
    needScopes(settings, `${KINDS[channel.kind]}:read`);
    const rows = [...channel.members].map((row) => ({ key: row, row }));
    const page = pager.page(rows, given);
    return { members: page.rows, ...page.metadata };
  }

  function info(given: SlackGiven, me: string): SlackRow {
    const channel = channelOf(given, me);
    needScopes(settings, `${KINDS[channel.kind]}:read`);
    return { channel: show.channel(channel, me) };
  }

  return { history, replies, list, members, info };
}
