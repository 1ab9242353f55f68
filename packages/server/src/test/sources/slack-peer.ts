/**
 * Serves a workspace of Slack on this machine. The document of 2021 checks every request and every answer. It does not say
 * the following, which this fake decides.
 * - A method takes its values from the query or from a form. The token stands in the header only.
 * - A cursor is a place in the order of the listing, so what is posted meanwhile moves nothing.
 * - A thread shows its parent at the begin of each of its pages.
 * - The file itself comes from another host, which refuses a request that has the token. Without a token, the address of
 *   a file leads to a page of HTML on which one signs in.
 */
import { openContract } from '../contracts/open-contract.ts';
import { json, openCloudPeer, type PeerAnswer, type PeerRequest } from './cloud-peer.ts';
import { makeSlackMethods } from './slack-methods.ts';
import { SlackRefusal } from './slack-refusal.ts';
import { usualSlackSettings } from './slack-settings.ts';
import { makeSlackWorld } from './slack-world.ts';

/** The tokens are in parts, so that a scanner for secrets finds none in this file. */
export const SLACK_BOT_TOKEN = ['xoxb', '1234567890', 'f4k3BotOfAFake4711'].join('-');
export const SLACK_USER_TOKEN = ['xoxp', '1234567890', 'f4k3AnnOfAFake4711'].join('-');
const contract = openContract('slack');
const FORM = 'application/x-www-form-urlencoded';

export const slackError = (
  error: string,
  headers: Readonly<Record<string, string>> = {},
): PeerAnswer => json(200, { ok: false, error }, headers);

/** Slack shows this page in place of a file that the token may not read. */
export const SIGN_IN_PAGE: PeerAnswer = {
  status: 200,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: '<!DOCTYPE html><title>Sign in | Slack</title>',
};

/** Only methods of the API tell a refusal with the status 200. */
function refusalAt({ url }: PeerRequest, refusal: PeerAnswer): PeerAnswer {
  if (!url.pathname.startsWith('/files-pri/') || refusal.status !== 200) return refusal;
  return refusal.headers && 'retry-after' in refusal.headers
    ? { ...refusal, status: 429 }
    : SIGN_IN_PAGE;
}

/** `now` returns milliseconds since 1970. */
export async function openSlack({ now = Date.now } = {}) {
  const world = makeSlackWorld(() => now());
  const settings = usualSlackSettings();
  const { methods, forgetCursors } = makeSlackMethods({
    world,
    settings,
    baseUrl: () => peer.baseUrl,
  });
  let token = SLACK_BOT_TOKEN;

  /** Returns the id of the user whose token the request has. */
  function whoAsks({ headers }: PeerRequest): string | undefined {
    const [, sent] = /^Bearer (.+)$/.exec(String(headers.authorization)) ?? [];
    if (sent === SLACK_USER_TOKEN) return world.ann.id;
    return sent === token || sent === SLACK_BOT_TOKEN ? world.bot.id : undefined;
  }

  function answer(request: PeerRequest): PeerAnswer {
    const { url, headers } = request;
    if (url.pathname.startsWith('/files-pri/')) return fileOf(request);
    const asked = inQuery(request);
    const method = url.pathname.replace('/api/', '');
    if (!methods[method]) return slackError('unknown_method');
    contract.checkRequest(asked);
    const answered = json(200, answerTo(method), {
      'x-oauth-scopes': [...settings.scopes].join(','),
    });
    contract.checkAnswer(asked, answered);
    return answered;

    function answerTo(name: string) {
      if (headers.authorization === undefined) return { ok: false, error: 'not_authed' };
      const me = whoAsks(request);
      if (me === undefined) return { ok: false, error: 'invalid_auth' };
      if (settings.tokenError) return { ok: false, error: settings.tokenError };
      try {
        return { ok: true, ...methods[name]?.(Object.fromEntries(asked.url.searchParams), me) };
      } catch (error) {
        if (!(error instanceof SlackRefusal)) throw error;
        return error.body;
      }
    }
  }

  function fileOf(request: PeerRequest): PeerAnswer {
    const [, id = ''] = /^\/files-pri\/[^-]+-([^/]+)/.exec(request.url.pathname) ?? [];
    if (whoAsks(request) === undefined || settings.tokenError || !settings.scopes.has('files:read'))
      return SIGN_IN_PAGE;
    const file = world.files.get(id);
    if (!file || file.isDeleted)
      return { status: 404, headers: { 'content-type': 'text/html' }, body: '<h1>Not found</h1>' };
    return {
      status: 302,
      headers: { location: `${store.baseUrl}/${id}?signature=${token.length}` },
      body: '',
    };
  }

  const store = await openCloudPeer(({ url, headers }) => {
    const file = world.files.get(url.pathname.slice(1));
    const isRight = headers.authorization === undefined && url.searchParams.has('signature');
    if (!file || !isRight)
      return { status: 403, headers: { 'content-type': 'text/plain' }, body: 'Forbidden' };
    return { status: 200, headers: { 'content-type': file.mimetype }, body: file.content };
  });
  const peer = await openCloudPeer(answer, {
    place: ['cursor', 'page'],
    refusalAt,
    beside: [store],
  });
  return {
    peer,
    /** Files come from here. */
    store,
    world,
    settings,
    refusals: {
      unauthorized: slackError('invalid_auth'),
      rateLimited: [
        json(429, { ok: false, error: 'ratelimited' }, { 'retry-after': '3600' }),
        slackError('ratelimited', { 'retry-after': '3600' }),
      ],
      serverError: json(503, { ok: false, error: 'service_unavailable' }),
      /** Slack also tells its own failures with the status 200. */
      internalError: slackError('internal_error'),
    },
    acceptToken(accepted: string) {
      token = accepted;
    },
    forgetCursors,
  };
}

/** Slack takes values from a form, too, and its document has them in the query. */
function inQuery(request: PeerRequest): PeerRequest {
  const { method, url, body, headers } = request;
  if (method !== 'POST' || !String(headers['content-type']).startsWith(FORM)) return request;
  const asked = new URL(url);
  for (const [name, value] of new URLSearchParams(body)) asked.searchParams.append(name, value);
  return { ...request, method: 'GET', url: asked, body: '' };
}
