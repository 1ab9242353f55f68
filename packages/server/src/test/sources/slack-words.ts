/** Writes messages and files of the company in Slack, each with a word that no other record has. */
import { must } from '../../util.ts';
import { newWord } from './cloud-company.ts';
import type { SlackChannel, SlackChannelKind, SlackMessage } from './slack-records.ts';
import type { SlackWorld } from './slack-world.ts';

/** A record of the company that a search must find by its word. */
export interface SlackRecord {
  readonly kind: 'message' | 'reply' | 'bot' | 'system' | 'file';
  readonly channelId: string;
  readonly channelKind: SlackChannelKind;
  /** It is the message itself, or the one that has the file. */
  readonly ts: string;
  /** It is the parent of a reply. */
  readonly threadTs: string | null;
  readonly fileId: string | null;
}

interface KeptMessage {
  readonly record: SlackRecord;
  readonly word: string;
  readonly channel: SlackChannel;
  readonly message: SlackMessage;
}

export function makeSlackWords(world: SlackWorld) {
  const { ann, bob } = world;
  const kept = new Map<string, KeptMessage>();
  const keyOf = ({ channelId, ts, fileId }: SlackRecord) => `${channelId} ${ts} ${fileId}`;
  const said = (word: string) => `<@${ann.id}> says that it is about *${word}* &amp; more.`;

  function keep(
    channel: SlackChannel,
    message: SlackMessage,
    kind: SlackRecord['kind'],
    word: string,
    fileId: string | null = null,
  ): void {
    const { ts, threadTs } = message;
    const record = { kind, channelId: channel.id, channelKind: channel.kind, ts, threadTs, fileId };
    kept.set(keyOf(record), { record, word, channel, message });
  }
  function say(
    channel: SlackChannel,
    more: Partial<SlackMessage> = {},
    kind: SlackRecord['kind'] = 'message',
  ): SlackMessage {
    const word = newWord();
    const message = world.post(channel, said(word), more);
    keep(channel, message, kind, word);
    return message;
  }
  const answerIn = (
    channel: SlackChannel,
    parent: SlackMessage,
    more: Partial<SlackMessage> = {},
  ) => say(channel, { user: bob.id, ...more, threadTs: parent.ts }, 'reply');
  function share(
    channel: SlackChannel,
    name: string,
    more: Partial<SlackMessage> = {},
  ): SlackMessage {
    const word = newWord();
    const file = world.addFile(name, `# Notes\n\nThe ${word} flies.\n`);
    const message = say(
      channel,
      { ...more, files: [file.id] },
      more.threadTs ? 'reply' : 'message',
    );
    keep(channel, message, 'file', word, file.id);
    return message;
  }
  const byApp = (channel: SlackChannel) =>
    say(channel, { user: null, username: 'Builder', subtype: 'bot_message' }, 'bot');
  function rewrite({ record, channel, message }: KeptMessage): void {
    const word = newWord();
    world.edit(message, said(word));
    keep(channel, message, record.kind, word);
  }
  function forget(channel: SlackChannel, { ts, files }: SlackMessage): void {
    for (const fileId of [null, ...files])
      kept.delete(keyOf({ channelId: channel.id, ts, fileId } as SlackRecord));
  }
  /** Deletes a message, and its files with it. A parent with replies stays as a tombstone. */
  function remove(channel: SlackChannel, message: SlackMessage): void {
    forget(channel, message);
    for (const id of message.files) must(world.files.get(id)).isDeleted = true;
    world.remove(channel, message);
  }
  function removeFile(channel: SlackChannel, message: SlackMessage): void {
    for (const id of message.files) {
      must(world.files.get(id)).isDeleted = true;
      kept.delete(keyOf({ channelId: channel.id, ts: message.ts, fileId: id } as SlackRecord));
    }
  }
  function removeChannel(channel: SlackChannel): void {
    for (const message of channel.messages) forget(channel, message);
    world.channels.delete(channel.id);
  }

  return { kept, say, answerIn, share, byApp, rewrite, remove, removeFile, removeChannel };
}
