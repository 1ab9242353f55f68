/** Finds the mailboxes that a connection reads. */
import { SourceError } from '../../errors.ts';
import type { FieldOption, OptionsRequest } from '../define.ts';
import { pageOf, peopleOf, USERS } from '../google/directory.ts';
import type { Http } from '../kit/http.ts';
import { labelsOf, type MailApi, ME, NoGmail, profileOf } from './api.ts';
import { type GmailConfig, type LabelNames, type MailboxRules, rulesOf } from './config.ts';

/** A mailbox with what is known of it at the beginning of a pull. */
export interface GmailBox extends MailApi {
  readonly email: string;
  readonly names: LabelNames;
  readonly rules: MailboxRules;
}

export interface MailboxOwner {
  /** Requests name the person like this. */
  readonly user: string;
  readonly email: string;
}

/** Returns true when the connection may read several mailboxes, of which one may be lost. */
export const isForPeople = ({ users, all_users }: GmailConfig): boolean =>
  all_users || users !== undefined;

/** An address is the same in any case. */
const ownerOf = (email: string): MailboxOwner => ({ user: email, email: email.toLowerCase() });

export async function ownersOf(http: Http, config: GmailConfig): Promise<MailboxOwner[]> {
  const emails = [...(config.users ?? []), ...(config.all_users ? await peopleOf(http) : [])];
  if (!isForPeople(config)) {
    const { emailAddress } = await profileOf({ http, user: ME });
    return [{ user: ME, email: emailAddress.toLowerCase() }];
  }
  const owners = emails.map((email) => [email.toLowerCase(), ownerOf(email)] as const);
  return [...new Map(owners).values()];
}

/** Throws a SourceError 'skip' when the mailbox cannot be read. */
export async function openMailbox(
  http: Http,
  { user, email }: MailboxOwner,
  config: GmailConfig,
): Promise<GmailBox> {
  const names = await labelsOf({ http, user });
  return { http, user, email, names, rules: rulesOf(config, names) };
}

/** Returns the address of the mailbox, or those of the people. */
export async function accountOf(http: Http, config: GmailConfig): Promise<string> {
  if (config.all_users) {
    const [first] = (await directory(http)).users;
    return first ? first.primaryEmail.slice(first.primaryEmail.lastIndexOf('@') + 1) : '';
  }
  const [first = ME, ...others] = config.users ?? [ME];
  const { emailAddress } = await profile({ http, user: first });
  return others.length === 0 ? emailAddress : `${emailAddress} and ${others.length} more`;
}

async function directory(http: Http) {
  try {
    return (await pageOf(http, USERS, null)).page;
  } catch (error) {
    if (!(error instanceof SourceError) || error.kind !== 'skip') throw error;
    const what =
      'the people of the organization cannot be listed, which only an administrator may do';
    throw new SourceError('config', `${what}: ${error.message}`, { cause: error });
  }
}

async function profile(api: MailApi) {
  try {
    return await profileOf(api);
  } catch (error) {
    if (!(error instanceof SourceError) || error.kind !== 'skip') throw error;
    const whose = api.user === ME ? 'the account' : api.user;
    const what =
      error instanceof NoGmail ? 'has no mailbox at Gmail' : 'has a mailbox that cannot be read';
    throw new SourceError('config', `${whose} ${what}: ${error.message}`, { cause: error });
  }
}

/** Throws a SourceError 'config' for a person whose mailbox cannot be read, and for a label that does not exist. */
export async function checkMailboxes(http: Http, config: GmailConfig): Promise<void> {
  for (const user of config.users?.slice(1) ?? []) await profile({ http, user });
  // Each mailbox has labels of its own, so one of several may lack a label.
  if (isForPeople(config)) return;
  const { unknown } = rulesOf(config, await labelsOf({ http, user: ME }));
  if (unknown.length > 0)
    throw new SourceError(
      'config',
      `the mailbox has no label '${unknown.join("' and no label '")}': remove it, or take its name from the list of labels`,
    );
}

/** Each mailbox has its own labels, so only those of the account are offered. */
export async function labelOptions(http: Http, { query }: OptionsRequest): Promise<FieldOption[]> {
  const names = await labelsOf({ http, user: ME });
  return Object.entries(names)
    .map(([id, name]) => ({ value: name, title: name, ...(id !== name && { description: id }) }))
    .filter(({ title }) => title.toLowerCase().includes(query.toLowerCase()));
}
