/** Settings of the fake of Slack: what its app may do, and how long its pages are. */

/** With these scopes, a bot reads everything that the methods of this fake show. */
const SLACK_SCOPES =
  `channels:history channels:read files:read groups:history groups:read im:history im:read
  mpim:history mpim:read search:read team:read usergroups:read users:read users:read.email`.split(
    /\s+/,
  );

export type SlackSettings = ReturnType<typeof usualSlackSettings>;

export const usualSlackSettings = () => ({
  /** A page of a listing has at most this many items, even when a request asks for more. */
  largestPage: 1000,
  scopes: new Set(SLACK_SCOPES),
  /** The contents of these channels are refused with this error. */
  forbidden: new Map<string, string>(),
  /** Every method answers with this error of the token, such as token_expired or account_inactive. */
  tokenError: null as string | null,
});
