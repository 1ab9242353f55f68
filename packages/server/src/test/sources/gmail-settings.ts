/** Settings of the fake of Gmail: what its tokens may do, and faults of its own. */
import type { GmailOddity } from './gmail-oddities.ts';

const SCOPE = 'https://www.googleapis.com/auth/gmail.';
export const GMAIL_READONLY = `${SCOPE}readonly`;
export const GMAIL_METADATA = `${SCOPE}metadata`;
export const GMAIL_LABELS = `${SCOPE}labels`;
/** Each of these scopes alone lets an app read whole messages. */
export const GMAIL_READING = [GMAIL_READONLY, `${SCOPE}modify`, 'https://mail.google.com/'];

/** With these scopes, an administrator reads the directory of the company. */
export const DIRECTORY_SCOPES = ['user', 'group', 'group.member'].map(
  (one) => `https://www.googleapis.com/auth/admin.directory.${one}.readonly`,
);

export type GmailSettings = ReturnType<typeof usualGmailSettings>;

export const usualGmailSettings = () => ({
  /** A page has at most this many entries, even when a request asks for more. */
  largestPage: 500,
  /** The person who signs in with a browser has granted these scopes. */
  granted: [GMAIL_READONLY],
  /** The service account may use these scopes on behalf of anybody who has a mailbox. */
  delegated: [GMAIL_READONLY],
  /** Persons in the directory are shown to those whom the company has made an administrator. */
  isAdmin: false,
  refreshTokens: new Set(['refresh-1']),
  /** The mail service of these persons is not enabled. */
  disabled: new Set<string>(),
  /** Gmail refuses to show these mailboxes. */
  forbidden: new Set<string>(),
  /** Gmail shows headers without encoded words. Otherwise it shows them as they were sent. */
  decodesHeaders: true,
  /** Gmail shows texts in UTF-8, whatever their header says. Otherwise it shows them as they were sent. */
  decodesTexts: true,
  /** A text that is longer than this many bytes is an attachment, too. */
  inlineBytes: 64 * 2 ** 20,
  /** A page begins at a number of entries instead of after an entry, so an entry that comes or goes moves the others. */
  pagesShift: false,
  /** The page after each page is the same page once more. */
  pagesRepeat: false,
  /** The page after each page has no list. */
  hasEmptyPages: false,
  /** The estimate of all results, or null for the right number. */
  estimate: null as number | null,
  /** The history says everything twice. */
  historyRepeats: false,
  /** The later pages of a history tell only what had happened when its first page was asked for. */
  historyIsFixed: false,
  /** Listings are in the order of time instead of the newest first. */
  isReversed: false,
  odd: new Set<GmailOddity>(),
});
