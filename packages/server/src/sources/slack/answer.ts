/**
 * These are the parts of Slack's answers that are read (https://docs.slack.dev/reference/methods). A list without its
 * items, and a record without its id, is an error. Within a record, a missing or odd value reads as empty, so that one
 * record never ends a sync.
 */
import { z } from 'zod';
import { storableText } from '../../model/storable.ts';
import { flag, maybe, some, strictText } from '../kit/lenient.ts';

const written = strictText.transform(storableText);
const text = written.catch('');
const id = written.pipe(z.string().min(1));
const count = z.coerce.number().int().min(0).catch(0);

const Metadata = maybe(z.object({ next_cursor: text }));
const Page = { ok: z.literal(true), response_metadata: Metadata };

export const Self = z.object({
  ok: z.literal(true),
  url: text,
  team: text,
  team_id: id,
  user: text,
});

export const Channel = z.object({
  id,
  name: text,
  is_member: flag,
  is_private: flag,
  is_archived: flag,
});
export type Channel = z.output<typeof Channel>;
export const Channels = z.object({ ...Page, channels: z.array(Channel) });

export const User = z.object({
  id,
  name: text,
  real_name: text,
  deleted: flag,
  is_bot: flag,
  is_restricted: flag,
  is_ultra_restricted: flag,
  team_id: text,
  is_stranger: flag,
  is_invited_user: flag,
  /** In Enterprise Grid, a person may belong to several workspaces. */
  enterprise_user: z.object({ teams: some(written) }).catch({ teams: [] }),
  profile: z
    .object({ display_name: text, real_name: text, email: text })
    .catch({ display_name: '', real_name: '', email: '' }),
});
export type User = z.output<typeof User>;
export const Users = z.object({ ...Page, members: z.array(User) });

export const Members = z.object({ ...Page, members: z.array(id) });

export const Groups = z.object({
  ok: z.literal(true),
  usergroups: some(z.object({ id, handle: text, name: text })),
});

export const SlackFile = z.object({
  id,
  name: text,
  title: text,
  mimetype: text,
  mode: text,
  size: count,
  timestamp: text,
  user: text,
  permalink: text,
  url_private: text,
  url_private_download: text,
  is_external: flag,
  file_access: text,
});
export type SlackFile = z.output<typeof SlackFile>;
export const FileInfo = z.object({ ok: z.literal(true), file: SlackFile });

/** The text of a block of Markdown is a text by itself. */
const Styled = z.union([
  z.object({ text, type: text }),
  z.string().transform((one) => ({ text: storableText(one), type: 'mrkdwn' })),
]);
/** An element of rich text may hold elements of its own, to a depth that Slack fixes. */
const Leaf = z.object({
  type: text,
  text,
  url: text,
  user_id: text,
  channel_id: text,
  usergroup_id: text,
  range: text,
  name: text,
  fallback: text,
  value: text,
  style: z
    .object({ bold: flag, italic: flag, strike: flag, code: flag })
    .catch({ bold: false, italic: false, strike: false, code: false }),
});
export type RichLeaf = z.output<typeof Leaf>;
const Section = Leaf.extend({ elements: some(Leaf) });
const Part = Leaf.extend({
  /** The style of a list is a word. */
  style: text,
  indent: count,
  /** The first item of a list has this number, counted from 0. */
  offset: count,
  /** An image in a context has it. */
  alt_text: text,
  elements: some(Section),
});
export type RichPart = z.output<typeof Part>;
/** Each cell of a table has its place, also an odd one. */
const Cell = z
  .object({ type: text, text, elements: some(Part) })
  .catch({ type: '', text: '', elements: [] });
export const BlockAnswer = z.object({
  type: text,
  text: maybe(Styled),
  title: maybe(Styled),
  description: maybe(Styled),
  label: maybe(Styled),
  alt_text: text,
  fields: some(Styled),
  elements: some(Part),
  rows: z.array(z.array(Cell).catch([])).catch([]),
});
export type BlockAnswer = z.output<typeof BlockAnswer>;

const Attachment = z.object({
  pretext: text,
  title: text,
  title_link: text,
  text,
  fallback: text,
  fields: some(z.object({ title: text, value: text })),
  blocks: some(BlockAnswer),
  /** The message has a link to this address, of which the attachment is a preview. */
  from_url: text,
  original_url: text,
  /** Somebody has forwarded a message. */
  is_share: flag,
});

/** A message holds this, written by a person or an app; Slack adds previews. */
const SlackText = z.object({
  text,
  bot_id: text,
  blocks: some(BlockAnswer),
  attachments: some(Attachment),
});
export type SlackText = z.output<typeof SlackText>;

export const MessageAnswer = SlackText.extend({
  ts: id,
  subtype: text,
  user: text,
  username: text,
  bot_profile: maybe(z.object({ name: text })),
  /** A person of another organization may be missing in the list of people. */
  user_profile: maybe(z.object({ display_name: text, real_name: text })),
  thread_ts: text,
  reply_count: count,
  latest_reply: text,
  edited: maybe(z.object({ ts: text })),
  files: some(SlackFile),
});
export type MessageAnswer = z.output<typeof MessageAnswer>;

/** A page that is not the last one must name the next one; otherwise the rest would count as deleted. */
export const Messages = z
  .object({ ...Page, messages: z.array(MessageAnswer), has_more: flag })
  .refine(({ has_more, response_metadata }) => !has_more || response_metadata?.next_cursor, {
    path: ['response_metadata', 'next_cursor'],
  });

export const Found = z.object({
  ok: z.literal(true),
  messages: z.object({
    matches: z.array(
      SlackText.extend({
        channel: z.object({ id, name: text }),
        user: text,
        username: text,
        ts: id,
        permalink: text,
      }),
    ),
  }),
});
export type MatchAnswer = z.output<typeof Found>['messages']['matches'][number];

/** A time of Slack is in seconds since 1970. Returns undefined for a text that is not a time. */
export function dateOf(ts: string): Date | undefined {
  const date = new Date(ts === '' ? Number.NaN : Number(ts) * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
