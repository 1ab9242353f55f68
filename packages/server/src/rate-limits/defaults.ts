/** These names and numbers belong to the contract of source rate limits. */

/** No source call is limited in an organization without this feature flag. */
export const FLAG = 'SOURCE_RATE_LIMITING';

/** The requests that an auth provider forwards are counted under this name, whatever their source is. */
export const PROVIDER_PROXY = 'provider_proxy';
export const PROVIDER_PROXY_DEFAULT = { limit: 1000, windowSeconds: 300 } as const;

/**
 * The greatest limit is above what any service allows. Even with the longest window, a job that waits for room goes on
 * before it would fail: a job fails after 24 hours without progress.
 */
export const MAX_LIMIT = 1_000_000;
export const MAX_WINDOW_SECONDS = 86_400;
