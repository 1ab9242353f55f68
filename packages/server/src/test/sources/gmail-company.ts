/**
 * Makes a company whose people write mail with Gmail, and changes it. Messages never change, so an edit is one of a draft,
 * which is another message then, or a message that comes back from the trash.
 */
import { must } from '../../util.ts';
import type { CloudFake } from './cloud-company.ts';
import { DAY, makeCompanyClock } from './company-clock.ts';
import type { CompanyOptions } from './company-words.ts';
import { ANN, BOB, openGmail } from './gmail-peer.ts';
import { DIRECTORY_SCOPES } from './gmail-settings.ts';
import { type GmailRecord, makeGmailWords } from './gmail-words.ts';
import type { GmailMailbox } from './gmail-world.ts';

const CAFE = '=?ISO-8859-1?Q?Caf=E9?=';

/** The service account acts for Ann unless other credentials are given. */
export interface GmailCompanyOptions extends CompanyOptions<GmailRecord> {
  /** Ann is an administrator, and Bob has as many messages as she. */
  readonly isOrganization?: boolean;
}

export type GmailCompany = Awaited<ReturnType<typeof openGmailCompany>>;

/** A usual connector copies messages and their files, but no drafts, and nothing that was thrown away. */
const usualId = ({ kind, labels, messageId, partId }: GmailRecord): string | null => {
  if (kind === 'thread' || kind === 'mail') return null;
  if (['DRAFT', 'SPAM', 'TRASH'].some((one) => labels.includes(one))) return null;
  return partId === null ? messageId : `${messageId}/${partId}`;
};

export async function openGmailCompany({
  recordId = usualId,
  config = {},
  credentials,
  isOrganization = false,
}: GmailCompanyOptions = {}) {
  const clock = makeCompanyClock({ ago: 2 * DAY, step: 60_000 });
  const gmail = await openGmail(clock);
  const { world, settings } = gmail;
  const [mine, bobs] = [world.mailboxOf(ANN), world.mailboxOf(BOB)];
  const { say, remove, forgetGone, shown, having, expected } = makeGmailWords({
    world,
    now: clock.now,
    recordId,
  });
  let edits = 0;
  let added = 0;
  let removals = 0;

  function fill(mailbox: GmailMailbox) {
    const projects = world.addLabel(mailbox, 'Projects');
    const weir = world.addLabel(mailbox, 'Projects/Weir');
    const first = say(mailbox);
    say(mailbox, { html: 'more', cc: 'Ann <ann@acme.example>, cid@other.example', files: 2 });
    const parent = say(mailbox);
    say(mailbox, { thread: parent, from: mailbox.email, to: BOB, labels: ['SENT'] });
    say(mailbox, { labels: ['INBOX', projects.id], at: first.internalDate });
    say(mailbox, { labels: [projects.id, 'STARRED'], files: 1 });
    say(mailbox, { labels: [weir.id] });
    say(mailbox, { labels: [] });
    say(mailbox, { labels: ['INBOX', 'CATEGORY_PROMOTIONS'] });
    say(mailbox, { labels: ['INBOX', 'CATEGORY_SOCIAL'] });
    say(mailbox, { labels: ['DRAFT'], from: mailbox.email });
    say(mailbox, { labels: ['DRAFT'], from: mailbox.email, files: 1 });
    say(mailbox, { labels: ['SPAM'] });
    say(mailbox, { labels: ['TRASH'] });
    say(mailbox, { mails: 1 });
    say(mailbox, {
      charset: 'iso-8859-1',
      text: 'Grüße aus dem Café.',
      headers: [
        { name: 'From', value: 'Café <cafe@other.example>', sent: `${CAFE} <cafe@other.example>` },
      ],
    });
    say(mailbox, { charset: 'shift_jis', text: '堰で鷺が待つ。', from: '鷺 <sagi@other.example>' });
    const longAgo = say(mailbox, { at: Date.now() - 400 * DAY });
    return { projects, weir, parent, longAgo };
  }
  const places = fill(mine);
  if (isOrganization) {
    fill(bobs);
    settings.isAdmin = true;
    settings.delegated.push(...DIRECTORY_SCOPES);
  } else world.add(bobs, { text: 'Nobody else reads this.' });
  settings.largestPage = 3;
  clock.endPast();

  /** The company changes only messages that the connector copies, and that Gmail does not refuse to show. */
  const open = () =>
    shown().filter(
      ({ kind, mailbox, message }) =>
        kind === 'message' && message !== places.longAgo && !settings.forbidden.has(mailbox.email),
    );
  const usual = () =>
    open().filter(
      ({ message }) => !['DRAFT', 'SPAM', 'TRASH'].some((one) => message.labels.has(one)),
    );
  const company = {
    ...gmail,
    config,
    credentials: credentials ?? { service_account: gmail.serviceAccount, subject: ANN },
    expected,
    edit() {
      const [draft] = having('DRAFT').filter(
        ({ mailbox }) => !settings.forbidden.has(mailbox.email),
      );
      const steps = [
        () =>
          draft &&
          say(draft.mailbox, { labels: ['DRAFT'], from: draft.mailbox.email }, draft.message),
        () => {
          // One message goes to the trash, and another one comes back.
          const { mailbox, message } = must(usual()[edits % 3]);
          world.trash(mailbox, message);
          const back = having('TRASH').find((one) => one.message !== message);
          if (back) world.untrash(back.mailbox, back.message);
        },
        () => {
          const { mailbox, message } = must(usual()[edits % usual().length]);
          world.relabel(mailbox, message, { add: ['STARRED'], remove: ['UNREAD'] });
          say(mailbox, { thread: message, from: mailbox.email, to: BOB, labels: ['SENT'] });
        },
        () => {
          const back = having('SPAM').find(({ mailbox }) => mailbox === mine);
          const { mailbox, message } = back ?? must(usual().at(-1));
          (back ? world.unspam : world.spam)(mailbox, message);
        },
      ];
      must(steps[edits % steps.length])();
      edits++;
    },
    add() {
      const isHtml = added % 2 === 1;
      say(mine, { ...(isHtml && { html: 'more' }), files: added % 3 === 0 ? 1 : 0 });
      added++;
      if (isOrganization && world.mailboxes.has(BOB) && !settings.forbidden.has(BOB)) say(bobs);
    },
    remove() {
      const { mailbox, message } = must(usual().at(-1));
      const ways = [remove, world.trash, world.spam];
      must(ways[removals++ % ways.length])(mailbox, message);
    },
    removeMany() {
      for (const { mailbox, message } of usual().slice(0, 5)) remove(mailbox, message);
    },
    /** All messages of a project are deleted with its labels. In an organization, Bob leaves. */
    removePart() {
      for (const label of isOrganization ? [] : [places.projects, places.weir]) {
        for (const { mailbox, message } of having(label.id)) remove(mailbox, message);
        world.removeLabel(mine, label);
      }
      if (isOrganization) world.removeMailbox(bobs);
      forgetGone();
    },
    ...(isOrganization && { forbidPart: () => void settings.forbidden.add(BOB) }),
    shuffle() {
      company.edit();
      company.edit();
      company.add();
    },
    say,
    deleteMessage: remove,
    mine,
    bobs,
    ...places,
    inPast: clock.inPast,
  } satisfies CloudFake & Record<string, unknown>;
  return company;
}
