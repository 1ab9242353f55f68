/**
 * Serves a company on a fake of GitHub's REST API, which behaves as its documentation says
 * (https://docs.github.com/rest): pages with links, changes by `since`, cut trees, redirects of renamed repositories,
 * refusals. Every request of the connector and every answer of the fake is checked against GitHub's OpenAPI document.
 */
import { openCloudPeer, type PeerAnswer, type PeerRequest } from './cloud-peer.ts';
import { makeGitHubAnswers } from './github-answers.ts';
import { message } from './github-refusal.ts';
import { usualGitHubSettings } from './github-settings.ts';
import { contract } from './github-shapes.ts';
import { makeGitHubWorld } from './github-world.ts';

export const TOKEN = 'github_pat_right';

export type GitHubCompany = Awaited<ReturnType<typeof openGitHubCompany>>;

export async function openGitHubCompany() {
  const world = makeGitHubWorld();
  const settings = usualGitHubSettings();
  const answer = makeGitHubAnswers({ world, settings, baseUrl: () => peer.baseUrl });

  const checked = (request: PeerRequest) => {
    const given = gate(request) ?? answer(request);
    // The address behind a redirect is not in the document.
    const isBehind = given.status === 200 && request.url.pathname.startsWith('/repositories/');
    return isBehind ? given : contract.checked(request, given);
  };
  const peer = await openCloudPeer(checked, { place: ['page', 'since'] });
  return { ...world, settings, peer };
}

/** Refuses requests without the headers that GitHub requires of every request. */
function gate({ headers }: PeerRequest): PeerAnswer | undefined {
  if (!headers['user-agent']) return message(403, 'Request forbidden by administrative rules.');
  if (headers['x-github-api-version'] !== '2022-11-28')
    return message(400, 'API version not given.');
  if (headers.authorization !== `Bearer ${TOKEN}`) return message(401, 'Bad credentials');
  return undefined;
}
