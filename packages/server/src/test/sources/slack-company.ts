/**
 * Makes a company whose people talk in Slack: in public and private channels, in threads and by files. Each record has a
 * word that no other record has. The company changes only messages of the last hours.
 */
import { must } from '../../util.ts';
import { type CloudFake, newWord } from './cloud-suite.ts';
import { makeCompanyClock } from './company-clock.ts';
import { openSlack, SLACK_BOT_TOKEN } from './slack-peer.ts';
import {
  type SlackChannel,
  type SlackChannelKind,
  type SlackMessage,
  secondsOf,
} from './slack-world.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

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

export interface SlackCompanyOptions {
  /** Returns the id that the connector gives to the record, or null when the connector leaves it out. */
  readonly recordId?: (record: SlackRecord) => string | null;
  readonly config?: object;
  readonly credentials?: Readonly<Record<string, string>>;
}

export type SlackCompany = Awaited<ReturnType<typeof openSlackCompany>>;

/** A usual connector copies channels. It leaves out direct messages, and messages of Slack itself. */
const usualId = ({ kind, channelKind, channelId, ts, fileId }: SlackRecord): string | null =>
  kind === 'system' || channelKind === 'im' || channelKind === 'mpim'
    ? null
    : (fileId ?? `${channelId}/${ts}`);

export async function openSlackCompany({
  recordId = usualId,
  config = {},
  credentials = { access_token: SLACK_BOT_TOKEN },
}: SlackCompanyOptions = {}) {
  const clock = makeCompanyClock({ ago: 5 * HOUR, step: 30_000 });
  const slack = await openSlack(clock);
  const { world, settings } = slack;
  const { ann, bob, bot } = world;
  const kept = new Map<
    string,
    { record: SlackRecord; word: string; channel: SlackChannel; message: SlackMessage }
  >();
  let edits = 0;
  let added = 0;
  let removals = 0;

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
  const isSaid = ({ record }: { record: SlackRecord }) =>
    record.kind !== 'file' && record.kind !== 'system';
  const rewrite = (found: {
    record: SlackRecord;
    channel: SlackChannel;
    message: SlackMessage;
  }) => {
    const word = newWord();
    world.edit(found.message, said(word));
    keep(found.channel, found.message, found.record.kind, word);
  };

  const cid = world.addUser('cid', { isDeleted: true });
  const guest = world.addUser('gus', { email: null });
  const general = world.addChannel('general', 'public_channel');
  const design = world.addChannel('design', 'public_channel', [ann, bot]);
  const secret = world.addChannel('secret', 'private_channel', [ann, bob, bot]);
  const old = world.addChannel('old', 'public_channel', [ann, cid, bot]);
  /** The bot is not a member of these two. */
  const lobby = world.addChannel('lobby', 'public_channel', [ann, bob]);
  const hidden = world.addChannel('hidden', 'private_channel', [ann]);
  const direct = world.addChannel('', 'im', [bob, bot]);
  const several = world.addChannel('mpdm-ann--bob--quarry-1', 'mpim');
  const staff = world.addGroup('staff', [ann, bob]);
  general.topic = 'Everything';
  general.purpose = 'Talk about everything';
  for (const channel of [lobby, hidden]) world.post(channel, 'Nobody else reads this.');
  say(general, { subtype: 'channel_join' }, 'system');
  const longAgo = `${secondsOf(String((Date.now() - 90 * DAY) / 1000))}.000100`;
  say(general, { ts: longAgo });
  for (const channel of [old, old, direct, several]) say(channel);
  old.isArchived = true;
  for (const channel of [general, design, secret]) {
    for (let i = 0; i < 3; i++) say(channel);
    byApp(channel);
    const parent = say(channel);
    for (let i = 0; i < 4; i++) answerIn(channel, parent);
    share(channel, 'notes.md');
  }
  const [thread] = general.messages.filter((one) => world.repliesOf(general, one).length > 0);
  const parent = must(thread);
  share(general, 'reply.md', { user: bob.id, threadTs: parent.ts });
  answerIn(general, parent, { subtype: 'thread_broadcast' });
  parent.reactions = [{ name: 'heron', users: [bob.id], count: 1 }];
  /** Two channels may have messages of the same time. */
  say(design, { ts: must(general.messages.at(-1)).ts });
  settings.largestPage = 3;
  clock.endPast();

  const isOpen = ({ id }: SlackChannel) => world.channels.has(id) && !settings.forbidden.has(id);
  const recent = () =>
    [...kept.values()].filter(
      (one) =>
        isSaid(one) &&
        isOpen(one.channel) &&
        !one.channel.isArchived &&
        one.message.ts !== longAgo &&
        one.channel.kind !== 'im' &&
        one.channel.kind !== 'mpim',
    );
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
  const plain = () =>
    recent().filter(
      ({ record, message }) =>
        record.kind === 'message' && message.files.length === 0 && !isParent(message),
    );
  const isParent = ({ ts }: SlackMessage) =>
    [...world.channels.values()].some((one) =>
      one.messages.some(({ threadTs }) => threadTs === ts),
    );

  const company = {
    ...slack,
    config,
    credentials,
    expected: () =>
      new Map(
        [...kept.values()].flatMap(({ record, word }) => {
          const id = recordId(record);
          return id === null ? [] : [[id, word] as const];
        }),
      ),
    edit() {
      const found = recent();
      // The step is prime to most lengths, so several edits reach messages, replies and apps in all channels.
      rewrite(must(found[(edits++ * 7) % found.length]));
    },
    add() {
      say(added++ % 2 ? secret : general);
      answerIn(general, parent);
      if (added % 3 === 1) share(general, `added-${added}.md`);
    },
    remove() {
      const steps = [
        () => plain()[0],
        () => recent().find(({ record }) => record.kind === 'reply'),
        () =>
          recent().find(
            ({ record, message }) =>
              record.kind === 'message' && isParent(message) && message !== parent,
          ),
      ];
      const step = removals++ % (steps.length + 1);
      const { channel, message } = must(
        steps[step]?.() ?? recent().find((one) => one.message.files.length > 0),
      );
      if (step === steps.length) removeFile(channel, message);
      else remove(channel, message);
    },
    removeMany() {
      for (const { channel, message } of plain().slice(0, 5)) remove(channel, message);
    },
    removePart: () => removeChannel(design),
    forbidPart: () => void settings.forbidden.set(secret.id, 'access_denied'),
    shuffle() {
      company.edit();
      company.edit();
      company.add();
    },
    say,
    answerIn,
    share,
    deleteMessage: remove,
    removeFile,
    removeChannel,
    /** The bot is a member of the first four. Secret is private, and old is archived. */
    general,
    design,
    secret,
    old,
    lobby,
    hidden,
    direct,
    several,
    staff,
    parent,
    guest,
    /** It was said 90 days ago. The company never changes it. */
    longAgo,
    inPast: clock.inPast,
  } satisfies CloudFake & Record<string, unknown>;
  return company;
}
