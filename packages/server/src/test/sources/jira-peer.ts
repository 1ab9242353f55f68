/**
 * Serves a site of Jira on this machine. Every request and answer is checked by the contract. It does not say the following,
 * which this fake decides.
 * - The token of a next page is a place in the order, so what is edited meanwhile moves to its new place. Tokens die.
 * - Times in JQL are minutes in the time zone of the user; times in answers are in that time zone, too.
 * - A comment or an attachment that is added or changed changes the time of its issue. So does a move.
 * - A project that one may not browse is not shown, and a query that names it is refused as if it did not exist.
 * - A file comes from another host, which refuses a request that has credentials.
 */
import { openContract, valuesInPath } from '../contracts/open-contract.ts';
import { makeCursors } from './atlassian-cursors.ts';
import {
  type AtlassianGateSettings,
  makeAtlassianGate,
  openAtlassianStore,
  textAnswer,
} from './atlassian-gate.ts';
import { type AtlassianOddity, oddAnswer } from './atlassian-oddities.ts';
import { json, openCloudPeer, type PeerAnswer, type PeerRequest } from './cloud-peer.ts';
import { makeJiraAnswers } from './jira-answers.ts';
import { JiraRefusal, type JiraSettings, valuesOf } from './jira-refusal.ts';
import { makeJiraShapes } from './jira-shapes.ts';
import type { JiraTokens } from './jira-view.ts';
import { makeJiraWorld } from './jira-world.ts';

const contract = openContract('jira');
const CONTENT = 'GET /rest/api/3/attachment/content/{id}';
/** Jira has removed these operations. */
const REMOVED = /^\/rest\/api\/(2|3|latest)\/search$/;

const jiraError = (
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): PeerAnswer => json(status, { errorMessages: [message], errors: {} }, headers);

/** `now` returns milliseconds since 1970. */
export async function openJira({ now = Date.now } = {}) {
  const world = makeJiraWorld(() => now());
  const gate = makeAtlassianGate('jira');
  const settings: JiraSettings & { readonly gate: AtlassianGateSettings } = {
    largestPage: 100,
    mostComments: 20,
    paging: 'places',
    unindexed: new Map(),
    forbidden: new Set(),
    isAdministrator: true,
    odd: new Set<AtlassianOddity>(),
    gate: gate.settings,
  };
  const tokens: JiraTokens = makeCursors();
  const baseUrl = () => peer.baseUrl;
  const show = makeJiraShapes(world, baseUrl);
  const parts = { world, settings, show, tokens, baseUrl, now: () => now() };
  const { store, addressOf, endAddresses } = await openAtlassianStore((id) =>
    world.attachments.get(id),
  );

  function answer(sent: PeerRequest): PeerAnswer {
    const entry = gate.enter(sent);
    if ('answer' in entry) return entry.answer;
    const { request, isAnonymous } = entry;
    const { url } = request;
    if (REMOVED.test(url.pathname))
      return jiraError(
        410,
        'The requested API has been removed. Please migrate to the /rest/api/3/search/jql API.',
      );
    const operation = contract.checkRequest(request);
    const { parameters } = contract.digest.operations[operation] ?? { parameters: [] };
    const lists = parameters.flatMap(({ name, schema }) => (schema.type === 'array' ? [name] : []));
    const values = valuesInPath(operation, url.pathname);
    const { answerTo, attachmentAt } = makeJiraAnswers(parts, isAnonymous ? undefined : world.me);
    try {
      if (operation === CONTENT) return contentOf(attachmentAt(values[0] ?? ''), request);
      const answered = json(
        200,
        answerTo(operation, values, valuesOf(request, lists)),
        isAnonymous ? { 'x-seraph-loginreason': 'AUTHENTICATED_FAILED' } : {},
      );
      contract.checkAnswer(request, answered);
      if (settings.odd.size === 0) return answered;
      return { ...answered, body: oddAnswer(String(answered.body), settings.odd) };
    } catch (error) {
      if (!(error instanceof JiraRefusal)) throw error;
      const refused = jiraError(error.status, error.message);
      contract.checkAnswer(request, refused);
      return refused;
    }
  }

  function contentOf(
    { id, type, content }: { id: string; type: string; content: string | Buffer },
    request: PeerRequest,
  ): PeerAnswer {
    const isHere = request.url.searchParams.get('redirect') === 'false';
    const answered = isHere
      ? { status: 200, headers: { 'content-type': type }, body: content }
      : { status: 303, headers: { location: addressOf(id) }, body: '' };
    contract.checkAnswer(request, answered);
    return answered;
  }

  const peer = await openCloudPeer(answer, {
    place: ['nextPageToken', 'startAt'],
    beside: [store],
  });
  return {
    peer,
    /** Files come from here. */
    store,
    world,
    settings,
    gate,
    refusals: {
      unauthorized: textAnswer(401, 'Client must be authenticated to access this resource.'),
      /** Jira asks to wait in seconds, or until a time that has minutes only. */
      get rateLimited() {
        const reset = `${new Date(Date.now() + 3_600_000).toISOString().slice(0, 16)}Z`;
        const reason = { 'ratelimit-reason': 'jira-burst-based' };
        return [
          jiraError(429, 'Rate limit exceeded.', { 'retry-after': '3600', ...reason }),
          textAnswer(429, 'Rate limit exceeded.', {
            'retry-after': '3600',
            'x-ratelimit-reset': reset,
          }),
        ];
      },
      serverError: textAnswer(502, 'Bad Gateway'),
      unavailable: jiraError(503, 'The service is temporarily unavailable.', {
        'retry-after': '5',
      }),
    },
    acceptToken: gate.acceptToken,
    /** The tokens of all next pages die. */
    forgetCursors: tokens.forget,
    endFileAddresses: endAddresses,
  };
}
