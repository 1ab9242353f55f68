/** Lists who is in the workspace and in its channels. */
import type { Membership, MembershipItem } from '../define.ts';
import type { Http } from '../kit/http.ts';
import { unlessRefused } from '../kit/members.ts';
import type { Channel, User } from './answer.ts';
import { type ChannelChoice, channelsOf, membersOf, selfOf, usersOf } from './api.ts';
import { chosenOf } from './reader.ts';
import { EVERYONE, groupOf } from './records.ts';

/**
 * Bots, people who have left, and those who have not accepted an invitation yet see nothing; nor does anybody whose
 * address Slack does not tell.
 */
export async function* members(
  http: Http,
  choice: ChannelChoice,
): AsyncGenerator<MembershipItem, void, void> {
  const users = (await usersOf(http)).filter(isPerson);
  const people = new Map(users.map((user) => [user.id, principalOf(user)]));
  const { team_id } = await selfOf(http);
  const guests = users.filter((user) => isGuest(user) || !isOfTeam(user, team_id));
  const isLimited = new Set(guests.map(({ id }) => id));
  for (const user of users)
    if (!isLimited.has(user.id)) yield { group: EVERYONE, member: principalOf(user) };
  for (const channel of chosenOf(await channelsOf(http, choice), choice))
    if (channel.is_private || guests.length > 0)
      yield* unlessRefused(
        { id: channel.id, people: `the members of #${channel.name}` },
        membersIn(http, channel, people),
      );
}

async function* membersIn(
  http: Http,
  channel: Channel,
  people: ReadonlyMap<string, string>,
): AsyncGenerator<Membership, void, void> {
  for await (const id of membersOf(http, channel.id)) {
    const member = people.get(id);
    if (member !== undefined) yield { group: groupOf(channel), member };
  }
}

const isPerson = ({ deleted, is_bot, is_invited_user, profile }: User): boolean =>
  !deleted && !is_bot && !is_invited_user && profile.email !== '';
const isGuest = ({ is_restricted, is_ultra_restricted }: User): boolean =>
  is_restricted || is_ultra_restricted;
/** People of other organizations, with whom channels are shared, stand in the list of users, too. */
const isOfTeam = ({ team_id, is_stranger, enterprise_user }: User, team: string): boolean =>
  !is_stranger && (['', team].includes(team_id) || enterprise_user.teams.includes(team));
const principalOf = ({ profile }: User): string => `user:${profile.email.toLowerCase()}`;
