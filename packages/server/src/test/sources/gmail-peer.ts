/**
 * Serves mailboxes of Gmail, the directory of their company and Google's token endpoint on this machine. Google's documents
 * check every request and every answer. Exports of the fake:
 * - `openGmail()` opens it with empty mailboxes of Ann and Bob. `peer` is its server; `operator` has the addresses and the
 *   OAuth client that an operator sets; `serviceAccount` is a key that may act for both; `acceptToken` is for the browser.
 * - `world` (gmail-world.ts) adds messages, moves and deletes them, and forgets histories; `settings` (gmail-settings.ts)
 *   has scopes, refused mailboxes and faults; `refusals` (gmail-refusal.ts) are answers for `peer.fault`.
 * - `openGmailCompany()` of gmail-company.ts is the company for the shared suite.
 *
 * The documents do not say the following, which this fake decides.
 * - The service account itself has no mailbox (400 failedPrecondition), and nobody reads that of another person (403).
 * - A token with the metadata scope gets neither bodies nor searches, whatever other scopes it has.
 * - Each change of the history is an entry of its own.
 */
import { must } from '../../util.ts';
import { openContract } from '../contracts/open-contract.ts';
import { json, openCloudPeer, type PeerAnswer, type PeerRequest } from './cloud-peer.ts';
import { makeGmailAnswers } from './gmail-answers.ts';
import { oddAnswer } from './gmail-oddities.ts';
import {
  forbid,
  GMAIL_REFUSALS,
  GmailRefusal,
  insufficient,
  invalid,
  refuse,
} from './gmail-refusal.ts';
import {
  GMAIL_LABELS,
  GMAIL_METADATA,
  GMAIL_READING,
  usualGmailSettings,
} from './gmail-settings.ts';
import { type GmailMailbox, makeGmailWorld } from './gmail-world.ts';
import { CLIENT, openGoogleAccounts } from './google-accounts.ts';
import { answerOfDirectory, makeGoogleListings, type PeerGroup } from './google-directory.ts';
import { checkMask, masked, parseMask } from './google-fields.ts';

const contract = openContract('gmail');
const directory = openContract('google-directory');
const DIRECTORY_SCOPE = 'https://www.googleapis.com/auth/admin.directory.';
export const ANN = 'ann@acme.example';
export const BOB = 'bob@acme.example';

export type GmailPeer = Awaited<ReturnType<typeof openGmail>>;

/** `me` is the person who signs in with a browser. `now` returns milliseconds since 1970. */
export async function openGmail({ me = ANN, now = Date.now } = {}) {
  const world = makeGmailWorld(() => now());
  for (const email of new Set([me, ANN, BOB])) world.addMailbox(email);
  const settings = usualGmailSettings();
  const { answerTo, forgetPages, forgetAttachments } = makeGmailAnswers(settings, () => now());
  const listings = makeGoogleListings(() => settings.largestPage);
  const groups: PeerGroup[] = [];

  function mailboxOf(account: string, userId: string): GmailMailbox {
    const email = userId === 'me' ? account : userId.toLowerCase();
    const mailbox = world.mailboxes.get(email);
    if (email !== account) return forbid(`Delegation denied for ${account}`);
    if (!mailbox || settings.disabled.has(email))
      return refuse(400, mailbox ? 'Mail service not enabled' : 'Precondition check failed.', {
        reason: 'failedPrecondition',
        status: 'FAILED_PRECONDITION',
      });
    if (settings.forbidden.has(email)) forbid('The caller does not have permission');
    return mailbox;
  }

  function mail(request: PeerRequest, operation: string): object {
    const { url, headers } = request;
    const session = must(accounts.sessionOf(headers));
    const { account, scopes } = session;
    const reading = [...GMAIL_READING, GMAIL_METADATA];
    const needed = operation.includes('/labels') ? [...reading, GMAIL_LABELS] : reading;
    if (!scopes.some((one) => needed.includes(one))) insufficient();
    const [userId = '', ...rest] = url.pathname
      .split('/')
      .slice(4)
      .map((one) => decodeURIComponent(one));
    const mailbox = mailboxOf(account, userId);
    const ids = [userId, ...rest.filter((_, i) => i % 2 === 1)];
    return answerTo(
      operation,
      { mailbox, url, isMetadataOnly: scopes.includes(GMAIL_METADATA) },
      ids,
    );
  }

  function company({ url, headers }: PeerRequest): object {
    const session = must(accounts.sessionOf(headers));
    if (!session.scopes.some((one) => one.startsWith(DIRECTORY_SCOPE))) insufficient();
    if (!settings.isAdmin) forbid('Not Authorized to access this resource/api');
    const people = [...world.mailboxes.keys()];
    return (
      answerOfDirectory(url, { people, groups }, listings.page) ?? invalid('Invalid pageToken')
    );
  }

  function answer(request: PeerRequest): PeerAnswer {
    const { url, headers } = request;
    const isMail = url.pathname.startsWith('/gmail/');
    const document = isMail ? contract : directory;
    must(headers['user-agent'], 'the request does not say who asks');
    const operation = document.checkRequest(request);
    const mask = url.searchParams.get('fields');
    if (mask !== null) checkMask(parseMask(mask), document, operation);
    if (!accounts.sessionOf(headers)) return GMAIL_REFUSALS.unauthorized;
    try {
      const made = isMail ? mail(request, operation) : company(request);
      const shown = mask === null ? made : masked(made, parseMask(mask));
      const given = json(200, shown);
      document.checkAnswer(request, given);
      return { ...given, body: oddAnswer(String(given.body), settings.odd) };
    } catch (error) {
      if (!(error instanceof GmailRefusal)) throw error;
      return error.answer;
    }
  }

  const accounts = await openGoogleAccounts({
    inBrowser: () => ({ account: me, scopes: settings.granted }),
    isRefreshToken: (token) => settings.refreshTokens.has(token),
    isPerson: (subject) => world.mailboxes.has(subject),
    mayActFor: (_, scopes) => scopes.every((one) => settings.delegated.includes(one)),
  });
  const peer = await openCloudPeer(answer, { place: ['pageToken'], beside: [accounts] });
  return {
    peer,
    world,
    settings,
    groups,
    me,
    refusals: GMAIL_REFUSALS,
    serviceAccount: accounts.serviceAccount,
    /** The operator sets these addresses in place of Google's. */
    operator: { client: CLIENT, baseUrl: peer.baseUrl, tokenUrl: accounts.tokenUrl },
    tokenRequests: accounts.requests,
    revoke: accounts.revoke,
    acceptToken: accounts.acceptToken,
    forgetAttachments,
    /** Gmail forgets the tokens of pages, and the histories so far. */
    forgetCursors(): void {
      forgetPages();
      listings.forget();
      for (const mailbox of world.mailboxes.values()) world.forgetHistory(mailbox);
    },
  };
}
