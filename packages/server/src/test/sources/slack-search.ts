/** Searches messages as Slack does for a person: words, `in:#channel` and `from:@name`, and numbered pages. */
import type { SlackGiven, SlackRow } from './slack-records.ts';
import { refuse } from './slack-refusal.ts';
import type { makeSlackShapes } from './slack-shapes.ts';
import type { SlackWorld } from './slack-world.ts';

export function makeSlackSearch(world: SlackWorld, show: ReturnType<typeof makeSlackShapes>) {
  return function search(
    { query = '', count = '20', page = '1', sort = 'score', sort_dir = 'desc' }: SlackGiven,
    me: string,
  ): SlackRow {
    if (query.trim() === '') refuse('invalid_arguments');
    const words = query.toLowerCase().split(/\s+/);
    const isNegative = sort_dir === 'desc' || sort === 'score';
    const found = [...world.channels.values()]
      .filter((channel) => world.canSee(channel, me))
      .flatMap((channel) => channel.messages.map((message) => ({ channel, message })))
      .filter(({ channel, message }) =>
        words.every((word) => {
          const [, name, value] = /^(in|from):[#@]?(.+)$/.exec(word) ?? [];
          if (name === 'in') return channel.name === value;
          if (name === 'from') return world.users.get(message.user ?? '')?.name === value;
          return (
            !message.isTombstone && message.text.toLowerCase().includes(word.replaceAll('"', ''))
          );
        }),
      )
      .toSorted((a, b) => (a.message.ts < b.message.ts === isNegative ? 1 : -1));
    const perPage = Number(count);
    const at = Number(page);
    if (perPage > 100 || at > 100) refuse('invalid_arguments');
    const pages = Math.ceil(found.length / perPage);
    const first = (at - 1) * perPage;
    const matches = found.slice(first, first + perPage).map(({ channel, message }) => ({
      iid: `${channel.id}-${message.ts}`,
      team: world.team,
      score: 0,
      channel: { ...show.channel(channel, me), is_pending_ext_shared: false },
      type: channel.kind === 'im' ? 'im' : 'message',
      user: message.user ?? '',
      username: world.users.get(message.user ?? '')?.name ?? message.username,
      ts: message.ts,
      text: message.text,
      permalink: `https://acme.slack.com/archives/${channel.id}/p${message.ts.replace('.', '')}${message.threadTs ? `?thread_ts=${message.threadTs}` : ''}`,
    }));
    return {
      query,
      messages: {
        total: found.length,
        paging: { count: perPage, total: found.length, page: at, pages },
        pagination: {
          total_count: found.length,
          page: at,
          per_page: perPage,
          page_count: pages,
          first: first + 1,
          last: first + matches.length,
        },
        matches,
      },
    };
  };
}
