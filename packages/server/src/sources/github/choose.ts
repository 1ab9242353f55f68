/** Finds the repositories that a connection copies. */

import type { z } from 'zod';
import { SourceError } from '../../errors.ts';
import type { ResponseHeaders } from '../../net/guarded-send.ts';
import { lost, type SourceItem, skip } from '../items.ts';
import type { Http } from '../kit/http.ts';
import type { CloudRequest } from '../kit/outgoing.ts';
import { NotFound } from '../kit/refusal.ts';
import { serviceTime } from '../kit/service-time.ts';
import { ListedRepository, Owner, Repository } from './answers.ts';
import { Account } from './api.ts';
import type { GitHubConfig } from './config.ts';
import { linked } from './lists.ts';
import type { Chosen } from './repository.ts';

export interface Choice {
  /** They are sorted by their ids, and none is in the list twice. */
  readonly repositories: readonly Chosen[];
  /** Says which chosen repositories or owners could not be listed, and why. */
  readonly missing: readonly SourceItem[];
  /** This is the time of GitHub's clock when the listing began, in milliseconds since 1970. */
  readonly at: number;
}

export async function choose(http: Http, config: GitHubConfig): Promise<Choice> {
  const { value: account, headers } = await http.json({ path: 'user' }, Account);
  const found = new Map<number, Chosen>();
  const missing: SourceItem[] = [];
  const answers = await Promise.all(
    config.repositories.map((one) => look(http, one, account.login)),
  );
  for (const answer of answers) {
    missing.push(...answer.missing);
    for (const chosen of answer.repositories)
      if (!found.has(chosen.repository.id)) found.set(chosen.repository.id, chosen);
  }
  const repositories = [...found.values()].toSorted((a, b) => a.repository.id - b.repository.id);
  return { repositories, missing, at: serviceTime(headers) };
}

type Answer = Omit<Choice, 'at'>;

/**
 * GitHub answers 404 for a repository that is deleted or that the token does not reach. Searches must not find it in
 * either case, so it counts as gone. A refusal (403, 451) says that the repository exists, so its records stay. When
 * the repositories of an owner cannot be listed, the records of all of them stay.
 */
async function look(http: Http, chosen: string, login: string): Promise<Answer> {
  const partition = chosen.toLowerCase();
  try {
    if (!chosen.includes('/')) return await ofOwner(http, chosen, login);
    const repository = await repositoryNamed(http, chosen);
    return { repositories: [{ repository, partition }], missing: [] };
  } catch (error) {
    if (!(error instanceof SourceError) || error.kind !== 'skip') throw error;
    const isGone = error instanceof NotFound && chosen.includes('/');
    const item = isGone ? skip(partition, 'GitHubRepository', NOT_FOUND) : lost(partition, error);
    return { repositories: [], missing: [item] };
  }
}

const NOT_FOUND = {
  reason: 'that GitHub does not show',
  hint: 'The repository was deleted or the token does not reach it: remove it from the configuration, or change the repositories and permissions of the token.',
};

/** GitHub redirects from the former name of a renamed repository. */
export const repositoryNamed = async (http: Http, name: string): Promise<Repository> =>
  (await http.json({ path: `repos/${name}` }, Repository)).value;

export const ownerNamed = async (http: Http, name: string): Promise<z.infer<typeof Owner>> =>
  (await http.json({ path: `users/${name}` }, Owner)).value;

async function ofOwner(http: Http, owner: string, login: string): Promise<Answer> {
  const { type } = await ownerNamed(http, owner);
  const request = listingOf(owner, { type, isMine: owner.toLowerCase() === login.toLowerCase() });
  const found = new Map<number, z.infer<typeof ListedRepository>>();
  const missing: SourceItem[] = [];
  // When a repository is deleted meanwhile, the repositories after it move forward, and the listing may miss one of
  // them. The sweep would then delete its records. A second listing finds it.
  for (let pageCount = 0, round = 1; round === 1 || (round === 2 && pageCount > 1); round++)
    for await (const { items, headers } of linked(http, request, ListedRepository)) {
      pageCount++;
      for (const repository of items) found.set(repository.id, repository);
      if (isPartial(headers)) missing.push(lost(owner.toLowerCase(), PARTIAL));
    }
  const repositories: Chosen[] = [];
  for (const { default_branch, ...listed } of found.values()) {
    const { full_name } = listed;
    if (default_branch === null) {
      const itself = await look(http, full_name, login);
      repositories.push(...itself.repositories);
      missing.push(...itself.missing);
    } else
      repositories.push({
        repository: { ...listed, default_branch },
        partition: full_name.toLowerCase(),
      });
  }
  return { repositories, missing };
}

/** Repositories are listed by their creation, which never changes. */
const ORDER = { sort: 'created', direction: 'asc' };

/** Only the listing of the account itself has its private repositories. */
function listingOf(
  owner: string,
  { type, isMine }: { readonly type: string; readonly isMine: boolean },
): CloudRequest {
  if (type === 'Organization')
    return { path: `orgs/${owner}/repos`, query: { ...ORDER, type: 'all' } };
  if (isMine) return { path: 'user/repos', query: { ...ORDER, affiliation: 'owner' } };
  return { path: `users/${owner}/repos`, query: { ...ORDER, type: 'owner' } };
}

/**
 * GitHub leaves out repositories of an organization with single sign-on when the token is not authorized for it. Only
 * this header says so (https://docs.github.com/rest/authentication/authenticating-to-the-rest-api).
 */
const isPartial = (headers: ResponseHeaders): boolean =>
  headers.get('x-github-sso')?.startsWith('partial-results') ?? false;

const PARTIAL = new SourceError(
  'skip',
  'GitHub leaves out repositories, because the token is not authorized for single sign-on',
  {
    hint: 'Open the settings of the token on GitHub, and choose Configure SSO.',
  },
);
