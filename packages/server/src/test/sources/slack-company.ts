/**
 * Makes a company whose people talk in Slack: in public and private channels, in threads and by files. It changes only
 * messages of the last hours.
 */
import { must } from '../../util.ts';
import type { CloudFake } from './cloud-company.ts';
import { DAY, HOUR, makeCompanyClock } from './company-clock.ts';
import { type CompanyOptions, wordsOf } from './company-words.ts';
import { openSlack, SLACK_BOT_TOKEN } from './slack-peer.ts';
import type { SlackChannel, SlackMessage } from './slack-records.ts';
import { makeSlackWords, type SlackRecord } from './slack-words.ts';

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
}: CompanyOptions<SlackRecord> = {}) {
  const clock = makeCompanyClock({ ago: 5 * HOUR, step: 30_000 });
  const slack = await openSlack(clock);
  const { world, settings } = slack;
  const { ann, bob, bot } = world;
  const { kept, say, answerIn, share, byApp, rewrite, remove, removeFile, removeChannel } =
    makeSlackWords(world);
  let edits = 0;
  let added = 0;
  let removals = 0;

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
  const longAgo = `${Math.floor((Date.now() - 90 * DAY) / 1000)}.000100`;
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
        one.record.kind !== 'file' &&
        one.record.kind !== 'system' &&
        isOpen(one.channel) &&
        !one.channel.isArchived &&
        one.message.ts !== longAgo &&
        one.channel.kind !== 'im' &&
        one.channel.kind !== 'mpim',
    );
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
    expected: () => wordsOf(kept.values(), ({ record }) => recordId(record)),
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
