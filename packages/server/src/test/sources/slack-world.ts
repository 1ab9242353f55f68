/**
 * Holds a workspace of Slack: people, conversations with messages and threads, files and groups. A message is known by its
 * channel and its time, which never changes: neither an edit nor a deletion moves anything.
 */
import type {
  SlackChannel,
  SlackChannelKind,
  SlackMessage,
  SlackRow,
  SlackUser,
  StoredSlackFile,
} from './slack-records.ts';

export type SlackWorld = ReturnType<typeof makeSlackWorld>;

/** Slack never uses an id twice, so two workspaces have no id in common. */
let lastId = 0;
const newId = (letter: string): string =>
  `${letter}0${(++lastId).toString(36).toUpperCase().padStart(8, '0')}`;

/** `now` returns milliseconds since 1970. */
export function makeSlackWorld(now: () => number) {
  const team = newId('T');
  const users = new Map<string, SlackUser>();
  const channels = new Map<string, SlackChannel>();
  const files = new Map<string, StoredSlackFile>();
  const groups: SlackRow[] = [];
  let posted = 0;
  const newTs = (at: number) =>
    `${Math.floor(at / 1000)}.${String((++posted * 100 + 19) % 1_000_000).padStart(6, '0')}`;

  function addUser(name: string, more: Partial<SlackUser> = {}): SlackUser {
    const user = {
      id: newId('U'),
      name,
      email: `${name}@acme.example`,
      isBot: false,
      isDeleted: false,
      ...more,
    };
    users.set(user.id, user);
    return user;
  }
  const ann = addUser('ann');
  const bob = addUser('bob', { email: 'Bob@Acme.example' });
  /** The bot is the user of the app whose token the tests have. */
  const bot = addUser('quarry', { email: null, isBot: true });
  const botId = newId('B');

  const world = {
    team,
    users,
    channels,
    files,
    groups,
    ann,
    bob,
    bot,
    addUser,
    addChannel(
      name: string,
      kind: SlackChannelKind,
      members: readonly SlackUser[] = [ann, bob, bot],
    ): SlackChannel {
      const channel: SlackChannel = {
        id: newId(kind === 'im' ? 'D' : 'C'),
        name,
        kind,
        members: new Set(members.map(({ id }) => id)),
        isArchived: false,
        topic: '',
        purpose: '',
        created: Math.floor(now() / 1000),
        messages: [],
      };
      channels.set(channel.id, channel);
      return channel;
    },
    /** `ts` is the time of the message, now by default. */
    post(channel: SlackChannel, text: string, more: Partial<SlackMessage> = {}): SlackMessage {
      const message: SlackMessage = {
        ts: newTs(now()),
        user: ann.id,
        text,
        threadTs: null,
        subtype: null,
        username: null,
        editedAt: null,
        files: [],
        reactions: [],
        blocks: null,
        isTombstone: false,
        ...more,
      };
      channel.messages.push(message);
      return message;
    },
    reply: (
      channel: SlackChannel,
      parent: SlackMessage,
      text: string,
      more: Partial<SlackMessage> = {},
    ): SlackMessage => world.post(channel, text, { user: bob.id, ...more, threadTs: parent.ts }),
    edit(message: SlackMessage, text: string): void {
      message.text = text;
      message.editedAt = newTs(now());
    },
    /** Everybody sees public channels. */
    canSee: ({ kind, members }: SlackChannel, userId: string): boolean =>
      kind === 'public_channel' || members.has(userId),
    repliesOf: (channel: SlackChannel, { ts }: SlackMessage): SlackMessage[] =>
      channel.messages.filter(({ threadTs }) => threadTs === ts),
    remove(channel: SlackChannel, message: SlackMessage): void {
      const { messages } = channel;
      if (world.repliesOf(channel, message).length > 0) {
        Object.assign(message, {
          isTombstone: true,
          text: 'This message was deleted.',
          files: [],
          reactions: [],
          blocks: null,
        });
        return;
      }
      messages.splice(messages.indexOf(message), 1);
      const parent = messages.find(({ ts }) => ts === message.threadTs);
      if (parent?.isTombstone) world.remove(channel, parent);
    },
    addFile(name: string, content: string | Buffer, mimetype = 'text/markdown'): StoredSlackFile {
      const created = Math.floor(now() / 1000);
      const file = {
        id: newId('F'),
        name,
        mimetype,
        content,
        user: ann.id,
        created,
        isDeleted: false,
      };
      files.set(file.id, file);
      return file;
    },
    addGroup(handle: string, members: readonly SlackUser[]): SlackRow {
      const at = Math.floor(now() / 1000);
      const group = {
        id: newId('S'),
        team_id: team,
        is_usergroup: true,
        is_subteam: true,
        name: handle,
        description: `The group ${handle}`,
        handle,
        is_external: false,
        date_create: at,
        date_update: at,
        date_delete: 0,
        auto_type: null,
        auto_provision: false,
        enterprise_subteam_id: '',
        created_by: ann.id,
        updated_by: ann.id,
        deleted_by: null,
        prefs: { channels: [], groups: [] },
        users: members.map(({ id }) => id),
      };
      groups.push(group);
      return group;
    },
  };

  return { ...world, botId };
}
