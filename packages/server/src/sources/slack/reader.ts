/** Knows the channels that a pull reads, and the names of people, channels and groups. */
import { SourceError } from '../../errors.ts';
import { fail, type SourceItem } from '../items.ts';
import type { Http } from '../kit/http.ts';
import type { Channel, User } from './answer.ts';
import { type ChannelChoice, channelsOf, groupNamesOf, notIn, selfOf, usersOf } from './api.ts';
import type { SlackNames } from './mrkdwn.ts';
import { accessOf, type ChannelPlace } from './records.ts';

export interface SlackReader {
  readonly http: Http;
  /** These channels are read, in the order of their ids. */
  readonly channels: readonly Channel[];
  /** These are chosen channels of which the app is not a member. */
  readonly missing: readonly SourceItem[];
  placeOf(channel: Channel): ChannelPlace;
}

export async function openReader(http: Http, choice: ChannelChoice): Promise<SlackReader> {
  const { url } = await selfOf(http);
  const all = await channelsOf(http, choice);
  const names = namesOf(await usersOf(http), all, await groupsOf(http));
  const channels = chosenOf(all, choice).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const read = new Set(channels.map(({ id }) => id));
  return {
    http,
    channels,
    missing: choice.channels
      .filter((id) => !read.has(id))
      .map((id) => fail(id, 'SlackChannel', notIn([id]))),
    placeOf: (channel) => ({
      ...{ channel, names, access: accessOf(channel) },
      home: url === '' ? 'https://slack.com/' : url.replace(/\/*$/, '/'),
    }),
  };
}

export const chosenOf = (channels: readonly Channel[], choice: ChannelChoice): Channel[] =>
  channels.filter(
    ({ id, is_member }) =>
      is_member && (choice.channels.length === 0 || choice.channels.includes(id)),
  );

/** Only the names of groups need this scope, so an app may do without it. */
async function groupsOf(http: Http): Promise<ReadonlyMap<string, string>> {
  try {
    return await groupNamesOf(http);
  } catch (error) {
    if (error instanceof SourceError && ['config', 'skip'].includes(error.kind)) return new Map();
    throw error;
  }
}

function namesOf(
  users: readonly User[],
  channels: readonly Channel[],
  groups: ReadonlyMap<string, string>,
): SlackNames {
  const people = new Map(users.map((user) => [user.id, nameOf(user)]));
  const places = new Map(channels.map(({ id, name }) => [id, name]));
  return {
    user: (id) => people.get(id) ?? '',
    channel: (id) => places.get(id) ?? '',
    group: (id) => groups.get(id) ?? '',
  };
}

const nameOf = ({ profile, real_name, name }: User): string =>
  profile.display_name || profile.real_name || real_name || name;
