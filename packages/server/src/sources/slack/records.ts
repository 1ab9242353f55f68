/** Makes entities of messages and files. */
import { z } from 'zod';
import type { Access, Entity } from '../../model/entity.ts';
import { beginningOf } from '../../util.ts';
import {
  type Channel,
  dateOf,
  type MatchAnswer,
  type MessageAnswer,
  type SlackFile,
} from './answer.ts';
import { mrkdwnOf } from './blocks.ts';
import { type SlackNames, toMarkdown } from './mrkdwn.ts';

const MAX_NAME = 80;

const shared = {
  channel: z.string().meta({ title: 'Channel', description: 'Name of the channel.' }),
  channel_id: z.string().meta({ title: 'Channel ID', description: 'Id of the channel.' }),
  author: z
    .string()
    .nullable()
    .meta({ title: 'Author', description: 'Name of the person or app.' }),
};
export const MessageFields = z.object({
  ...shared,
  thread_ts: z.string().nullable().meta({
    title: 'Thread',
    description: 'Time of the message to which this one is a reply, as Slack writes it.',
  }),
});
const FileFields = z.object({
  ...shared,
  mimetype: z.string().nullable().meta({ title: 'Type', description: 'Media type of the file.' }),
});
export const entities = { SlackMessage: MessageFields, SlackFile: FileFields };

/** These are what Slack itself writes into a channel, and what is left of deleted messages. */
const OF_SLACK = new Set([
  ...['join', 'leave', 'topic', 'purpose', 'name', 'archive', 'unarchive'].flatMap((what) => [
    `channel_${what}`,
    `group_${what}`,
  ]),
  ...['channel_convert_to_private', 'channel_convert_to_public', 'channel_posting_permissions'],
  ...['bot_add', 'bot_remove', 'bot_enable', 'bot_disable', 'pinned_item', 'unpinned_item'],
  ...['tombstone', 'ekm_access_denied', 'reminder_add', 'message_deleted', 'message_changed'],
  ...['sh_room_created', 'sh_room_shared', 'huddle_thread', 'app_conversation_join'],
  ...['joiner_notification', 'joiner_notification_for_inviter'],
  ...['channel_canvas_updated', 'tabbed_canvas_updated'],
]);
export const isOfSlack = ({ subtype }: MessageAnswer): boolean => OF_SLACK.has(subtype);

/** A reply that was also sent to its channel is shown in the channel, too. */
export const isReply = ({ ts, thread_ts }: MessageAnswer): boolean =>
  thread_ts !== '' && thread_ts !== ts;

/** This is what a record of a channel needs to know. */
export interface ChannelPlace {
  readonly channel: Channel;
  readonly names: SlackNames;
  /** The address of the workspace ends with a slash. */
  readonly home: string;
  readonly access: Access;
}

export const EVERYONE = 'group:everyone';
export const groupOf = ({ id }: Pick<Channel, 'id'>): string => `group:${id}`;
/** Guests see only those public channels of which they are members. */
export const accessOf = (channel: Channel): Access => ({
  isPublic: false,
  viewers: channel.is_private ? [groupOf(channel)] : [EVERYONE, groupOf(channel)],
});

const messageId = (channel: string, ts: string): string => `${channel}/${ts}`;

export function ofMessage(
  { channel, names, home, access }: ChannelPlace,
  message: MessageAnswer,
): Entity {
  const { ts, thread_ts, edited } = message;
  const text = toMarkdown(mrkdwnOf(message), names);
  const thread = isReply(message) ? thread_ts : null;
  return {
    id: messageId(channel.id, ts),
    type: 'SlackMessage',
    name: nameOf(text),
    text,
    url: urlOf(home, channel, { ts, thread }),
    breadcrumbs: above(channel, thread),
    createdAt: dateOf(ts),
    updatedAt: dateOf(edited?.ts ?? '') ?? dateOf(ts),
    access,
    fields: {
      channel: channel.name,
      channel_id: channel.id,
      author: authorOf(message, names),
      thread_ts: thread,
    } satisfies z.infer<typeof MessageFields>,
  };
}

export function ofFile(
  { channel, names, access }: ChannelPlace,
  message: MessageAnswer,
  file: SlackFile,
): Entity {
  const name = file.title || file.name || 'File';
  const thread = isReply(message) ? message.thread_ts : null;
  return {
    id: fileId(channel, message, file),
    type: 'SlackFile',
    name,
    text: '',
    url: file.permalink,
    breadcrumbs: [
      ...above(channel, thread),
      { id: messageId(channel.id, message.ts), name: 'Message', type: 'SlackMessage' },
    ],
    createdAt: dateOf(file.timestamp) ?? dateOf(message.ts),
    updatedAt: dateOf(file.timestamp) ?? dateOf(message.ts),
    access,
    fields: {
      channel: channel.name,
      channel_id: channel.id,
      author: names.user(file.user) || authorOf(message, names),
      mimetype: file.mimetype || null,
    } satisfies z.infer<typeof FileFields>,
  };
}

/** The message only says that it had this file. */
export const isGone = ({ mode, file_access }: SlackFile): boolean =>
  ['tombstone', 'hidden_by_limit'].includes(mode) ||
  ['file_not_found', 'access_denied'].includes(file_access);

/** One file may be shared in several channels, each with its own access. */
export const fileId = (channel: Channel, { ts }: MessageAnswer, { id }: SlackFile): string =>
  `${messageId(channel.id, ts)}/${id}`;

/** Slack tells less of a match than of a message in a history. */
export function ofMatch(
  { channel, ts, permalink, ...match }: MatchAnswer,
  names: SlackNames,
): Entity {
  const thread = URL.parse(permalink)?.searchParams.get('thread_ts') ?? null;
  const said = toMarkdown(mrkdwnOf(match), names);
  return {
    id: messageId(channel.id, ts),
    type: 'SlackMessage',
    name: nameOf(said),
    text: said,
    url: permalink,
    breadcrumbs: above(channel, null),
    createdAt: dateOf(ts),
    updatedAt: dateOf(ts),
    fields: {
      channel: channel.name,
      channel_id: channel.id,
      author: match.username || match.user || null,
      thread_ts: thread === ts ? null : thread,
    } satisfies z.infer<typeof MessageFields>,
  };
}

const authorOf = (
  { user, username, bot_profile, user_profile }: MessageAnswer,
  names: SlackNames,
): string | null =>
  [
    ...[names.user(user), username, bot_profile?.name],
    ...[user_profile?.display_name, user_profile?.real_name, user],
  ].find((name) => name) ?? null;

const above = ({ id, name }: Pick<Channel, 'id' | 'name'>, thread: string | null) => [
  { id, name: name === '' ? id : `#${name}`, type: 'SlackChannel' },
  ...(thread === null ? [] : [{ id: messageId(id, thread), name: 'Thread', type: 'SlackMessage' }]),
];

function nameOf(text: string): string {
  const [line = ''] = text.split('\n').filter((one) => /[\p{L}\p{N}]/u.test(one));
  return beginningOf(line.trim(), MAX_NAME) || 'Message';
}

function urlOf(
  home: string,
  { id }: Channel,
  { ts, thread }: { readonly ts: string; readonly thread: string | null },
): string {
  const more = thread === null ? '' : `?thread_ts=${thread}`;
  return `${home}archives/${id}/p${ts.replace('.', '')}${more}`;
}
