/**
 * Serves a site of Confluence on this machine. Every request and answer is checked by the contracts of both versions of the
 * API. They do not say the following, which this fake decides.
 * - A cursor is a place in the order, so what is edited meanwhile moves to its new place. Cursors are forgotten.
 * - The next page of the second version is relative to the site, and that of the first to its `context` below `base`. Through
 *   the gateway, both still are.
 * - A page in the trash is found by its id, and says that it is there. A page that is purged is not.
 * - Pages below a page that is trashed move up. A move and a restriction make no new version, so no search finds them.
 * - A search shows what is current, and nothing of archived spaces unless it asks for these.
 * - Who has not signed in sees the spaces that are open to all, and nothing at all when there is none.
 * - A file comes from another host, which refuses a request that has credentials.
 */
import assert from 'node:assert/strict';
import { openContract, valuesInPath } from '../contracts/open-contract.ts';
import {
  type AtlassianGateSettings,
  makeAtlassianGate,
  openAtlassianStore,
  textAnswer,
} from './atlassian-gate.ts';
import { oddAnswer } from './atlassian-oddities.ts';
import { json, openCloudPeer, type PeerAnswer, type PeerRequest } from './cloud-peer.ts';
import { makeConfluenceAnswers } from './confluence-answers.ts';
import {
  ConfluenceRefusal,
  type ConfluenceRow,
  type ConfluenceSettings,
  makeConfluencePager,
} from './confluence-paging.ts';
import { BASE } from './confluence-shapes.ts';
import { makeConfluenceWorld } from './confluence-world.ts';

const contracts = { v1: openContract('confluence-v1'), v2: openContract('confluence') };
const DOWNLOAD = 'GET /wiki/rest/api/content/{id}/child/attachment/{attachmentId}/download';
/** Confluence has removed the listings of contents of its first version. */
const REMOVED = /^\/wiki\/rest\/api\/content(\/\d+)?$/;

/** Each version of the API has a form of refusals. */
const refusalOf = (version: 'v1' | 'v2', { status, code, message, detail }: ConfluenceRefusal) =>
  version === 'v2'
    ? json(status, { errors: [{ status, code, title: message, detail }] })
    : json(status, {
        statusCode: status,
        message,
        data: { authorized: true, valid: false, errors: [] },
      });

/** `now` returns milliseconds since 1970. */
export async function openConfluence({ now = Date.now } = {}) {
  const world = makeConfluenceWorld(() => now());
  const gate = makeAtlassianGate('confluence');
  const settings: ConfluenceSettings & { readonly gate: AtlassianGateSettings } = {
    largestPage: 250,
    largestRestriction: 200,
    hidesNext: false,
    paging: 'places',
    unindexed: new Set(),
    forbidden: new Set(),
    odd: new Set(),
    gate: gate.settings,
  };
  const pager = makeConfluencePager(settings);
  const parts = { world, settings, pager, now: () => now() };
  const answersTo = {
    account: makeConfluenceAnswers({ ...parts, me: world.me }),
    anybody: makeConfluenceAnswers({ ...parts, me: undefined }),
  };
  const { store, addressOf, endAddresses } = await openAtlassianStore((id) =>
    world.attachments.get(id),
  );

  function answer(sent: PeerRequest): PeerAnswer {
    const entry = gate.enter(sent);
    if ('answer' in entry) return entry.answer;
    const { request, isAnonymous } = entry;
    const { pathname } = request.url;
    const isOpenToAll = [...world.spaces.values()].some((space) => space.isOpenToAll);
    if (isAnonymous && !isOpenToAll)
      return json(403, {
        statusCode: 403,
        message: 'Current user not permitted to use Confluence',
      });
    if (REMOVED.test(pathname)) return json(410, { statusCode: 410, message: 'Gone' });
    if (pathname.startsWith('/wiki/download/')) return downloadOf(request, sent !== request);
    const version = pathname.startsWith('/wiki/api/v2/') ? 'v2' : 'v1';
    const contract = contracts[version];
    const operation = contract.checkRequest(request);
    try {
      const answers = answersTo[isAnonymous ? 'anybody' : 'account'];
      const answered = answerTo({ operation, answers }, request, contract);
      contract.checkAnswer(request, answered);
      if (settings.odd.size === 0 || operation === DOWNLOAD) return answered;
      return { ...answered, body: oddAnswer(String(answered.body), settings.odd) };
    } catch (error) {
      if (!(error instanceof ConfluenceRefusal)) throw error;
      const refused = refusalOf(version, error);
      contract.checkAnswer(request, refused);
      return refused;
    }
  }

  function answerTo(
    { operation, answers }: { operation: string; answers: (typeof answersTo)['account'] },
    request: PeerRequest,
    { digest, resolved }: (typeof contracts)['v1'],
  ): PeerAnswer {
    const { url } = request;
    const values = valuesInPath(operation, url.pathname);
    if (operation === DOWNLOAD) return redirectTo(answers.attachmentAt(values[1] ?? '').id);
    const given: ConfluenceRow = {};
    for (const { name, schema } of digest.operations[operation]?.parameters ?? []) {
      const all = url.searchParams.getAll(name);
      if (all.length > 0) given[name] = resolved(schema).type === 'array' ? all : all[0];
    }
    // The pages of Confluence separate expansions by commas.
    given.expand = given.expand?.flatMap((one: string) => one.split(','));
    const value = answers.answerTo(operation, values, request, given) as ConfluenceRow;
    const next: string | undefined = value._links?.next;
    if (settings.hidesNext && operation.includes('/api/v2/')) delete value._links?.next;
    return json(200, value, {
      ...(next && { link: `<${next}>; rel="next", <${BASE}>; rel="base"` }),
    });
  }

  const redirectTo = (id: string): PeerAnswer => ({
    status: 302,
    headers: { location: addressOf(id) },
    body: '',
  });
  /** The address of a file is for people at the site. Apps take the one of the API. */
  function downloadOf({ url }: PeerRequest, isByGateway: boolean): PeerAnswer {
    const [, , , , pageId, name = ''] = url.pathname.split('/');
    for (const key of url.searchParams.keys())
      assert.ok(['version', 'api'].includes(key), `a download of Confluence has no ${key}`);
    const file = [...world.attachments.values()].find(
      (one) => one.on.id === pageId && one.name === decodeURIComponent(name),
    );
    if (isByGateway) return json(401, { code: 401, message: 'Unauthorized; scope does not match' });
    const isThere = file && file.status === 'current' && world.canSee(world.me, file.on);
    return isThere ? redirectTo(file.id) : textAnswer(404, 'Not found');
  }

  const peer = await openCloudPeer(answer, { place: ['cursor', 'start', 'next'], beside: [store] });
  return {
    peer,
    /** Files come from here. */
    store,
    world,
    settings,
    gate,
    refusals: {
      unauthorized: textAnswer(401, 'Unauthorized'),
      rateLimited: [
        json(
          429,
          {
            errors: [
              {
                status: 429,
                code: 'TOO_MANY_REQUESTS',
                title: 'Rate limit exceeded',
                detail: null,
              },
            ],
          },
          { 'retry-after': '3600', 'ratelimit-reason': 'confluence-burst-based' },
        ),
        json(429, { statusCode: 429, message: 'Rate limit exceeded' }, { 'retry-after': '3600' }),
      ],
      serverError: textAnswer(502, 'Bad Gateway'),
    },
    acceptToken: gate.acceptToken,
    forgetCursors: pager.forget,
    endFileAddresses: endAddresses,
  };
}
