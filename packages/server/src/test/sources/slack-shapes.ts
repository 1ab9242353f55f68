/** Shows the objects of a workspace as Slack does. */
import { must } from '../../util.ts';
import type {
  SlackChannel,
  SlackMessage,
  SlackRow,
  SlackUser,
  StoredSlackFile,
} from './slack-records.ts';
import type { SlackWorld } from './slack-world.ts';

export function makeSlackShapes(world: SlackWorld) {
  const { team, ann, bot, botId, files } = world;
  const show = {
    user({ id, name, email, isBot, isDeleted }: SlackUser, withEmail: boolean): SlackRow {
      return {
        id,
        team_id: team,
        name,
        deleted: isDeleted,
        real_name: `${name} of Acme`,
        is_bot: isBot,
        is_app_user: false,
        updated: 1_700_000_000,
        ...(!isDeleted && {
          tz: 'Europe/Berlin',
          is_restricted: false,
          is_ultra_restricted: false,
        }),
        profile: {
          title: '',
          phone: '',
          skype: '',
          real_name: `${name} of Acme`,
          real_name_normalized: `${name} of Acme`,
          display_name: name,
          display_name_normalized: name,
          status_text: '',
          status_emoji: '',
          avatar_hash: 'a',
          fields: null,
          team,
          ...(withEmail && email !== null && { email }),
          ...(isBot && { bot_id: botId, api_app_id: 'A012345678' }),
        },
      };
    },
    /** Slack shows more of a conversation to its members. */
    channel(channel: SlackChannel, me: string): SlackRow {
      const { id, name, kind, members, created, isArchived, topic, purpose } = channel;
      const common = { id, created, is_archived: isArchived, is_org_shared: false };
      if (kind === 'im')
        return {
          ...common,
          is_im: true,
          priority: 0,
          user: must([...members].find((one) => one !== me)),
        };
      const text = (value: string) => ({
        value,
        creator: value ? ann.id : '',
        last_set: value ? created : 0,
      });
      return {
        ...common,
        name,
        name_normalized: name,
        creator: ann.id,
        is_channel: kind === 'public_channel',
        is_group: kind === 'private_channel',
        is_im: false,
        is_mpim: kind === 'mpim',
        is_private: kind !== 'public_channel',
        is_general: name === 'general',
        is_shared: false,
        is_ext_shared: false,
        is_member: members.has(me),
        num_members: members.size,
        topic: text(topic),
        purpose: text(purpose),
        ...(kind === 'public_channel' && { previous_names: [] }),
      };
    },
    file(file: StoredSlackFile, baseUrl: string): SlackRow {
      const { id, name, mimetype, content, user, created } = file;
      if (file.isDeleted) return { id, mode: 'tombstone' };
      const url = `${baseUrl}/files-pri/${team}-${id}`;
      return {
        id,
        name,
        title: name,
        mimetype,
        filetype: name.split('.').at(-1),
        pretty_type: 'Text',
        mode: 'hosted',
        size: Buffer.byteLength(content),
        user,
        created,
        timestamp: created,
        is_external: false,
        is_public: true,
        url_private: `${url}/${encodeURIComponent(name)}`,
        url_private_download: `${url}/download/${encodeURIComponent(name)}`,
        permalink: `https://acme.slack.com/files/${user}/${id}/${encodeURIComponent(name)}`,
      };
    },
    message(channel: SlackChannel, message: SlackMessage, baseUrl: string): SlackRow {
      const { ts, text, user, threadTs, subtype, username, editedAt, reactions, blocks } = message;
      const replies = world.repliesOf(channel, message);
      const parent = channel.messages.find((one) => one.ts === threadTs);
      const people = [...new Set(replies.map((one) => one.user).filter((one) => one !== null))];
      const shown = message.files.map((id) => show.file(must(files.get(id)), baseUrl));
      return {
        type: 'message',
        ts,
        text,
        ...(message.isTombstone
          ? { subtype: 'tombstone', user: 'USLACKBOT', hidden: true }
          : {
              ...(subtype && { subtype }),
              ...(user === null ? { bot_id: botId, username } : { user, team }),
              ...(editedAt && { edited: { user: user ?? bot.id, ts: editedAt } }),
            }),
        ...(blocks && { blocks }),
        ...(shown.length > 0 && { files: shown, upload: false }),
        ...(reactions.length > 0 && { reactions }),
        ...(threadTs && {
          thread_ts: threadTs,
          ...(parent?.user && { parent_user_id: parent.user }),
        }),
        ...(replies.length > 0 && {
          thread_ts: ts,
          reply_count: replies.length,
          reply_users_count: people.length,
          ...(people.length > 0 && { reply_users: people }),
          latest_reply: must(replies.at(-1)).ts,
          subscribed: false,
        }),
      };
    },
  };
  return show;
}
