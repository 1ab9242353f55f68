/** Asks Gmail about one mailbox (https://developers.google.com/workspace/gmail/api/reference/rest). */
import { SourceError } from '../../errors.ts';
import { RequestFailure } from '../../net/request.ts';
import type { CloudApi } from '../api.ts';
import { googleRefusal } from '../google/refusal.ts';
import type { Http } from '../kit/http.ts';
import { pages } from '../kit/listing.ts';
import { NotFound } from '../kit/refusal.ts';
import {
  type AnsweredMessage,
  HistoryPage,
  Labels,
  Message,
  MessagePage,
  Profile,
} from './answer.ts';
import type { LabelNames } from './config.ts';

export const SCOPES = ['https://www.googleapis.com/auth/gmail.readonly'];

/** Gmail lists at most this many messages, or records of the history, on a page. */
const LARGEST_PAGE = 500;

/** Google names the account that has signed in like this. */
export const ME = 'me';

/** Mail is not switched on for the person. */
export class NoGmail extends SourceError {}
export const SWITCH_ON = 'An administrator can switch Gmail on for the person.';

/** The id of an attachment is no longer valid. Another answer with the message has another id. */
export class OldAttachment extends SourceError {}

export const refusal: NonNullable<CloudApi<unknown>['refusal']> = googleRefusal({
  name: 'Gmail',
  scopes: SCOPES,
  special(reasons, message) {
    if (/attachment token/i.test(message)) return new OldAttachment('skip', message);
    return reasons.some((reason) => /^failed_?precondition$/i.test(reason))
      ? new NoGmail('skip', message, { hint: SWITCH_ON })
      : undefined;
  },
});

/** Requests about one mailbox; `user` is its e-mail address, or `me`. */
export interface MailApi {
  readonly http: Http;
  readonly user: string;
}

export const pathOf = (user: string, ...parts: readonly string[]): string =>
  ['gmail/v1/users', ...[user, ...parts].map(encodeURIComponent)].join('/');

/** Returns the person whose mailbox a request concerns, or undefined for the account itself. */
export function personOf({ url }: { readonly url: URL }): string | undefined {
  const [, user] = /\/gmail\/v1\/users\/([^/]+)/.exec(url.pathname) ?? [];
  return user === undefined || user === ME ? undefined : decodeURIComponent(user);
}

export const profileOf = async ({ http, user }: MailApi) =>
  (await http.json({ path: pathOf(user, 'profile') }, Profile)).value;

export async function labelsOf({ http, user }: MailApi): Promise<LabelNames> {
  const { value } = await http.json({ path: pathOf(user, 'labels') }, Labels);
  return Object.fromEntries(value.labels.map(({ id, name }) => [id, name || id]));
}

interface MessageQuery {
  readonly labelIds?: string | undefined;
  readonly q?: string | undefined;
  readonly includeSpamTrash?: boolean;
}

/** Yields the ids of messages page by page, from the place on. */
export async function* idsOf(
  { http, user }: MailApi,
  query: MessageQuery,
  from: string | null = null,
): AsyncGenerator<{ readonly page: readonly string[]; readonly next: string | null }, void, void> {
  yield* pages<readonly string[], string>(from, async (pageToken) => {
    const asked = { ...query, maxResults: LARGEST_PAGE, pageToken: pageToken ?? undefined };
    const { value } = await http.json(
      { path: pathOf(user, 'messages'), query: asked },
      MessagePage,
    );
    return { page: value.messages.map(({ id }) => id), next: value.nextPageToken };
  });
}

/** Returns null when the message is gone. */
export async function messageOf(
  { http, user }: MailApi,
  id: string,
): Promise<AnsweredMessage | null> {
  try {
    const request = { path: pathOf(user, 'messages', id), query: { format: 'full' } };
    return (await http.json(request, Message)).value;
  } catch (error) {
    if (error instanceof NotFound) return null;
    // An answer that is too large, or has another form, concerns only this message.
    if (error instanceof SourceError && error.kind === 'fatal' && isOfAnswer(error.cause))
      throw new SourceError('skip', error.message, { cause: error });
    throw error;
  }
}

const isOfAnswer = (cause: unknown): boolean =>
  cause instanceof RequestFailure && ['too_large', 'form'].includes(cause.fault);

/** Throws a SourceError 'outdated' when Gmail no longer knows the place in the history. */
export async function* historyOf({ http, user }: MailApi, startHistoryId: string) {
  yield* pages(null, async (pageToken: string | null) => {
    const query = { startHistoryId, maxResults: LARGEST_PAGE, pageToken: pageToken ?? undefined };
    try {
      const { value } = await http.json({ path: pathOf(user, 'history'), query }, HistoryPage);
      return { page: value, next: value.nextPageToken };
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
      throw new SourceError('outdated', error.message, { cause: error });
    }
  });
}
