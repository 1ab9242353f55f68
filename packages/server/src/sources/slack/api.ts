/** These are the requests to Slack that the copy sends. */
import type { z } from 'zod';
import { SourceError } from '../../errors.ts';
import { presentIn } from '../../net/guarded-send.ts';
import type { Http } from '../kit/http.ts';
import { pages } from '../kit/listing.ts';
import {
  type Channel,
  Channels,
  Groups,
  Members,
  Messages,
  Self,
  type User,
  Users,
} from './answer.ts';
import { MANIFEST_PAGE } from './refusal.ts';

/** Slack gives fewer than 1,000 items a page. */
const PAGE_SIZE = 999;
/** A message may have 40,000 characters, in its text and in its blocks again, and an answer has at most 32 MB. */
const MESSAGES_PAGE_SIZE = 200;
type SlackQuery = Readonly<Record<string, string | number | boolean | undefined>>;
interface SlackPage {
  readonly response_metadata: { readonly next_cursor: string } | null;
}

const listAt = <Page extends SlackPage>(
  http: Http,
  method: string,
  {
    schema,
    query,
    from = null,
  }: { schema: z.ZodType<Page>; query: SlackQuery; from?: string | null },
) =>
  pages<Page, string>(from, async (cursor) => {
    const asked = { limit: PAGE_SIZE, ...query, cursor: cursor ?? undefined };
    const { value } = await http.json({ path: `api/${method}`, query: asked }, schema);
    return { page: value, next: value.response_metadata?.next_cursor || null };
  });

/** `scopes` are those of the token, or null when Slack does not say them. */
export async function selfOf(http: Http) {
  const { value, headers } = await http.json({ path: 'api/auth.test' }, Self);
  return { ...value, scopes: presentIn(headers).get('x-oauth-scopes')?.split(/,\s*/) ?? null };
}

export async function accountOf(http: Http): Promise<string> {
  const { user, team } = await selfOf(http);
  return `${user || 'Somebody'} in ${team || 'Slack'}`;
}

export interface ChannelChoice {
  readonly channels: readonly string[];
  readonly private_channels: boolean;
}

/** Returns the channels that the app sees, also those of which it is not a member. */
export async function channelsOf(
  http: Http,
  { private_channels }: Pick<ChannelChoice, 'private_channels'>,
): Promise<Channel[]> {
  const types = private_channels ? 'public_channel,private_channel' : 'public_channel';
  const found = new Map<string, Channel>();
  const query = { types };
  for await (const { page } of listAt(http, 'conversations.list', { schema: Channels, query }))
    for (const channel of page.channels) found.set(channel.id, channel);
  return [...found.values()];
}

export async function usersOf(http: Http): Promise<User[]> {
  const all: User[] = [];
  for await (const { page } of listAt(http, 'users.list', { schema: Users, query: {} }))
    all.push(...page.members);
  return all;
}

export async function groupNamesOf(http: Http): Promise<ReadonlyMap<string, string>> {
  const { value } = await http.json({ path: 'api/usergroups.list' }, Groups);
  return new Map(value.usergroups.map(({ id, handle, name }) => [id, handle || name]));
}

export async function* membersOf(http: Http, channel: string): AsyncGenerator<string, void, void> {
  const query = { channel };
  for await (const { page } of listAt(http, 'conversations.members', { schema: Members, query }))
    yield* page.members;
}

/** The latest messages come first. `oldest` is in seconds, and counts as within. */
export const historyAt = (
  http: Http,
  channel: string,
  { oldest, from }: { readonly oldest: number; readonly from: string | null },
) => {
  const query = {
    channel,
    limit: MESSAGES_PAGE_SIZE,
    ...(oldest > 0 && { oldest, inclusive: true }),
  };
  return listAt(http, 'conversations.history', { schema: Messages, query, from });
};

export const repliesAt = (http: Http, channel: string, ts: string) => {
  const query = { channel, ts, limit: MESSAGES_PAGE_SIZE };
  return listAt(http, 'conversations.replies', { schema: Messages, query });
};

const SCOPES = [
  'channels:read',
  'channels:history',
  'users:read',
  'users:read.email',
  'files:read',
];
const PRIVATE = ['groups:read', 'groups:history'];
export const scopesFor = (withPrivate: boolean): string[] =>
  withPrivate ? [...SCOPES, ...PRIVATE] : SCOPES;

/** Throws a SourceError 'config' when the app lacks scopes, is in no channel, or is not in a chosen one. */
export async function checkChoice(http: Http, choice: ChannelChoice): Promise<void> {
  const { scopes } = await selfOf(http);
  const missing = scopesFor(choice.private_channels).filter((scope) => !scopes?.includes(scope));
  if (scopes && missing.length > 0)
    throw new SourceError('config', `the app lacks the scopes ${missing.join(', ')}`, {
      hint: `Add them under OAuth & Permissions of the app, and install the app again: ${MANIFEST_PAGE}`,
    });
  const joined = (await channelsOf(http, choice)).filter(({ is_member }) => is_member);
  const seen = new Set(joined.map(({ id }) => id));
  const unseen = choice.channels.filter((id) => !seen.has(id));
  if (unseen.length > 0) throw notIn(unseen);
  if (seen.size === 0)
    throw new SourceError('config', 'the app is in no channel', { hint: INVITE });
}

const INVITE = 'Invite the app to a channel: write /invite and its name there.';
export const notIn = (channels: readonly string[]): SourceError =>
  new SourceError('config', `the app is not in the channels ${channels.join(', ')}`, {
    hint: `Give ids, such as C0123ABCD, and not names. ${INVITE}`,
  });
