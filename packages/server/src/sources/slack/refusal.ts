/**
 * Reads Slack's refusals, most of which have the status 200 and `ok: false`
 * (https://docs.slack.dev/reference/methods/conversations.history#errors).
 */
import { z } from 'zod';
import { SourceError, type SourceErrorKind } from '../../errors.ts';
import { storableText } from '../../model/storable.ts';
import { presentIn } from '../../net/guarded-send.ts';
import { beginningOf } from '../../util.ts';
import type { CloudApi } from '../api.ts';

export const MANIFEST_PAGE = 'docs/sources/slack_history.md';

/** This stands for the code of an error when Slack shows a page to sign in. */
export const SIGN_IN_PAGE = 'sign_in';

/** Slack has refused a request with this error. */
export class SlackRefused extends SourceError {
  readonly code: string;
  constructor(kind: SourceErrorKind, code: string, more: { message: string; hint?: string }) {
    super(kind, more.message, more.hint === undefined ? {} : { hint: more.hint });
    this.code = code;
  }
}

const CODES: Readonly<Partial<Record<SourceErrorKind, readonly string[]>>> = {
  auth: [
    ...['invalid_auth', 'not_authed', 'account_inactive', 'token_revoked', 'token_expired'],
    ...['user_removed_from_team', 'two_factor_setup_required', 'org_login_required'],
  ],
  rate_limited: ['ratelimited', 'rate_limited', 'message_limit_exceeded'],
  skip: [
    ...['not_in_channel', 'channel_not_found', 'is_archived', 'access_denied', 'no_permission'],
    ...['thread_not_found', 'file_not_found', 'file_deleted', 'restricted_action'],
    ...['method_not_supported_for_channel_type', 'user_not_found', 'ekm_access_denied'],
    ...['no_such_subteam', 'fetch_members_failed', 'not_visible', 'user_not_visible'],
  ],
  outdated: ['invalid_cursor'],
  config: [
    ...['missing_scope', 'not_allowed_token_type', 'team_access_not_granted', 'paid_only'],
    ...['enterprise_is_restricted', 'accesslimited', 'missing_argument', 'paid_teams_only'],
  ],
  transient: [
    ...['internal_error', 'fatal_error', 'service_unavailable', 'request_timeout'],
    'team_added_to_org',
  ],
};
const KINDS = new Map(
  Object.entries(CODES).flatMap(([kind, codes]) =>
    codes.map((code) => [code, kind as SourceErrorKind] as const),
  ),
);
const HINTS: Readonly<Record<string, string>> = {
  not_in_channel: 'Invite the app to the channel: write /invite and its name there.',
  token_expired: 'Sign in again. An app with token rotation needs OAuth.',
  not_allowed_token_type:
    'A search needs the token of a person (xoxp-), and a copy the token of the app (xoxb-).',
  missing_scope: `Add the scope under OAuth & Permissions of the app, and install the app again: ${MANIFEST_PAGE}`,
};
const Refused = z.object({
  ok: z.literal(false),
  error: z.string(),
  needed: z.string().optional().catch(undefined),
});

export const refusal: NonNullable<CloudApi<unknown>['refusal']> = ({ status, headers, body }) => {
  const refused = Refused.safeParse(body).data;
  if (!refused)
    return isPageOfSlack(status, headers.get('content-type'))
      ? signInPage(presentIn(headers).get('content-disposition'))
      : undefined;
  const code = beginningOf(storableText(refused.error), 100);
  const kind =
    KINDS.get(code) ?? (status === 429 ? 'rate_limited' : status >= 500 ? 'transient' : 'fatal');
  const needed = refused.needed
    ? `: it needs the scope ${beginningOf(storableText(refused.needed), 200)}`
    : '';
  const hint = HINTS[code];
  return new SlackRefused(kind, code, {
    message: `Slack refuses with ${code}${needed}`,
    ...(hint !== undefined && { hint }),
  });
};

const isPageOfSlack = (status: number, type: string | null): boolean =>
  status === 200 && type !== null && /^text\/html\b/i.test(type);

/**
 * In place of a file that the token may not read, Slack shows a page to sign in, which is not a download. A proxy may
 * hide whether an answer is one, and a file of HTML is then left out.
 */
const signInPage = (disposition: string | null): SourceError | undefined =>
  disposition !== null && /^attachment\b/i.test(disposition)
    ? undefined
    : new SlackRefused('skip', SIGN_IN_PAGE, {
        message: 'Slack shows a page to sign in, and not the file',
        hint: 'The app needs the scope files:read, and must be in the channel of the file.',
      });
