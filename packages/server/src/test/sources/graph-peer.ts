/**
 * Serves an organization in Microsoft Graph on this machine. The document of Graph checks every request and every answer.
 * - `openGraph()` opens it: `peer` is graph.microsoft.com (paths begin with /v1.0), `login` is login.microsoftonline.com,
 *   and `store` is the host from which files come. `peer.close()` closes all three. `operator` has the addresses.
 * - `directory` has people and groups, `drives` has sites, drives and items, and functions that change them.
 * - `mail` has mailboxes with folders, messages and attachments, and functions that change them.
 * - `settings` has permissions, what is refused, and faults of its own; see graph-settings.ts.
 * - `GRAPH_APP_TOKEN` is the token of an app, `GRAPH_PERSON_TOKEN` that of Ann; both are always right.
 * - `tokens`, `acceptToken` and `forgetCursors` end what was given out; `refusals` has errors.
 * The document does not say the following, which this fake decides.
 * - A delta goes by the number of the last change of each item. What changes meanwhile comes up again at the end.
 * - A change of permissions shows the item in a delta, but changes neither its eTag nor its cTag.
 * - A person sees in a listing what the person may read, and the root of each drive.
 */
import { must } from '../../util.ts';
import { openContract, valuesInPath } from '../contracts/open-contract.ts';
import { json, openCloudPeer, type PeerAnswer, type PeerRequest } from './cloud-peer.ts';
import { makeAttachmentAnswers } from './graph-attachment-answers.ts';
import { makeGraphDirectory } from './graph-directory.ts';
import { makeDirectoryAnswers } from './graph-directory-answers.ts';
import type { GraphItem } from './graph-drive-records.ts';
import { makeGraphDriveWorld } from './graph-drive-world.ts';
import type { GraphHandlers } from './graph-handlers.ts';
import { makeItemAnswers } from './graph-item-answers.ts';
import { makeMailAnswers } from './graph-mail-answers.ts';
import { makeGraphMailWorld } from './graph-mail-world.ts';
import { GRAPH_TOKENS, makeGraphPager } from './graph-paging.ts';
import { denied, GraphRefusal, graphError } from './graph-refusal.ts';
import { makeGraphSettings } from './graph-settings.ts';
import { makeSiteAnswers } from './graph-site-answers.ts';
import { GRAPH_CLIENT, makeGraphTokens } from './graph-tokens.ts';

const contract = openContract('microsoft-graph');

export type GraphPeer = Awaited<ReturnType<typeof openGraph>>;

/** `now` returns milliseconds since 1970. */
export async function openGraph({ now = Date.now } = {}) {
  let lastChange = 0;
  const nextChange = () => ++lastChange;
  const settings = makeGraphSettings(() => lastChange);
  const directory = makeGraphDirectory();
  const drives = makeGraphDriveWorld(directory, {
    now: () => now(),
    nextChange,
    isSilent: () => settings.deletesSilently,
  });
  const mail = makeGraphMailWorld({ now: () => now(), nextChange });
  const pager = makeGraphPager(settings, () => peer.baseUrl);
  const tokens = makeGraphTokens({
    tenant: directory.tenant,
    person: directory.ann,
    permissions: settings.permissions,
  });
  const downloadUrl = ({ id }: GraphItem) =>
    `${store.baseUrl}/${id}/download?tempauth=${settings.epoch}.${id.length}`;
  const parts = { directory, settings, pager };
  const driveParts = { ...parts, world: drives, downloadUrl };
  const handlers: GraphHandlers = {
    ...makeDirectoryAnswers(parts),
    ...makeMailAnswers({ ...parts, world: mail }),
    ...makeAttachmentAnswers({ ...parts, world: mail }),
    ...makeSiteAnswers(driveParts),
    ...makeItemAnswers(driveParts),
  };

  function answer(request: PeerRequest): PeerAnswer {
    const operation = contract.checkRequest(request);
    const answered = answerTo(operation, request);
    contract.checkAnswer(request, answered);
    if (!settings.spoil || answered.status !== 200) return answered;
    const spoilt = settings.spoil(JSON.parse(String(answered.body)), request);
    return spoilt === undefined ? answered : json(200, spoilt);
  }

  function answerTo(operation: string, request: PeerRequest): PeerAnswer {
    const [, token = ''] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? [];
    const me = tokens.whoHas(token);
    if (me === undefined) return unauthorized;
    const handler = must(handlers[operation], `the fake of Graph does not answer ${operation}`);
    const isMine = request.url.pathname.startsWith('/v1.0/me/');
    try {
      if (isMine && me === null)
        return graphError(
          '400 BadRequest',
          '/me request is only valid with delegated authentication flow.',
        );
      if (!handler.needs.some((one) => settings.permissions.has(one))) return denied(handler.part);
      return handler.answer({ request, names: namesOf(operation, request, me?.id ?? ''), me });
    } catch (error) {
      if (error instanceof GraphRefusal) return error.answer;
      throw error;
    }
  }

  const unauthorized = graphError(
    '401 InvalidAuthenticationToken',
    'Lifetime validation failed, the token is expired.',
    { headers: { 'www-authenticate': 'Bearer realm="", error="invalid_token"' } },
  );

  const store = await openCloudPeer(({ url, headers }) => {
    const [, id = ''] = url.pathname.split('/');
    const item = drives.items.get(id);
    const isRight = url.searchParams.get('tempauth') === `${settings.epoch}.${id.length}`;
    if (headers.authorization !== undefined || !isRight)
      return { status: 401, headers: { 'content-type': 'text/plain' }, body: '401 Unauthorized' };
    if (!item || item.isDeleted)
      return { status: 404, headers: { 'content-type': 'text/plain' }, body: '404 Not Found' };
    return { status: 200, headers: { 'content-type': item.mimeType }, body: item.content };
  });
  const login = await openCloudPeer(tokens.answer);
  const peer = await openCloudPeer(answer, {
    place: GRAPH_TOKENS,
    others: ['latest'],
    beside: [store, login],
  });
  const later = { 'retry-after': '3600' };
  return {
    peer,
    login,
    store,
    directory,
    drives,
    mail,
    settings,
    tokens,
    operator: {
      client: GRAPH_CLIENT,
      baseUrl: peer.baseUrl,
      authorizeUrl: `${login.baseUrl}/common/oauth2/v2.0/authorize`,
      tokenUrl: `${login.baseUrl}/common/oauth2/v2.0/token`,
    },
    /** An app of its own gets its tokens here. */
    appTokenUrl: `${login.baseUrl}/${directory.tenant}/oauth2/v2.0/token`,
    refusals: {
      unauthorized,
      rateLimited: [
        graphError('429 activityLimitReached', 'The request has been throttled', {
          headers: later,
        }),
        graphError(
          '429 ApplicationThrottled',
          'Application is over its MailboxConcurrency limit.',
          {
            headers: later,
          },
        ),
        graphError('429 TooManyRequests', 'Too many requests', { headers: later }),
        graphError('503 serviceNotAvailable', 'The service is not available.', { headers: later }),
      ],
      serverError: graphError('503 UnknownError', 'The service is not available.'),
      gatewayTimeout: graphError('504 UnknownError', ''),
      forbidden: denied('files'),
    },
    acceptToken: tokens.accept,
    forgetCursors: pager.forget,
    /** All addresses of files that were given out so far end. */
    endFileAddresses(): void {
      settings.epoch++;
    },
  };
}

/** Returns the texts of the path that have names in the operation, whichever path of the operation was asked. */
function namesOf(operation: string, { url }: PeerRequest, me: string): string[] {
  const path = url.pathname
    .replace(/^\/v1\.0\/me\//, `/v1.0/users/${me}/`)
    .replace(/^(\/v1\.0\/drives\/[^/]+)\/root\//, '$1/items/root/')
    .replace(/:\/(sites|teams|personal)\//, ':%2F$1%2F');
  return valuesInPath(operation, path);
}
