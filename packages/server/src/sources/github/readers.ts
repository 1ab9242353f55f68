/**
 * Says who may read private repositories. The list of collaborators of a repository also has the people who have access
 * through a team or the organization (https://docs.github.com/rest/collaborators/collaborators). GitHub identifies
 * people by their logins, and shows an e-mail address only if it is in the person's profile. So each login is a group,
 * and its member is the person with that address.
 */
import type { Logger } from 'pino';
import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import type { Membership } from '../define.ts';
import { skip } from '../items.ts';
import type { Http } from '../kit/http.ts';
import { Collaborator, Person, type Repository } from './answers.ts';
import { Account, siteOf } from './api.ts';
import { choose } from './choose.ts';
import type { GitHubConfig } from './config.ts';
import { linked } from './lists.ts';
import { type Chosen, type GitHubItems, idIn, readersOf } from './repository.ts';

export async function* members({
  http,
  config,
  log,
}: {
  readonly http: Http;
  readonly config: GitHubConfig;
  readonly log: Logger;
}): AsyncGenerator<Membership, void, void> {
  const met = new Set<string>();
  const { repositories } = await choose(http, config);
  for (const { repository } of repositories.filter(({ repository }) => repository.private))
    try {
      for await (const { items } of linked(http, { path: pathOf(repository) }, Collaborator))
        for (const { login } of items) {
          const person = `group:login/${login.toLowerCase()}`;
          yield { group: readersOf(repository), member: person };
          if (met.has(login)) continue;
          met.add(login);
          const email = await emailOf(http, login);
          if (email !== null) yield { group: person, member: `user:${email.toLowerCase()}` };
        }
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // The pull has already reported this to the user (unknownReaders). Without members, no principal finds the
      // records.
      log.warn(
        { err: error, repository: repository.full_name },
        'the readers of a repository are unknown',
      );
    }
}

/**
 * Reports when the readers of a private repository cannot be listed, because searches on behalf of a person then find
 * nothing in it.
 */
export async function* unknownReaders(http: Http, { repository }: Chosen): GitHubItems {
  if (!repository.private) return;
  try {
    const request = { path: pathOf(repository), query: { per_page: 1 } };
    await http.json(request, z.array(Collaborator));
  } catch (error) {
    if (!isRefusal(error)) throw error;
    yield skip(idIn(repository, 'readers'), 'GitHubRepository', {
      reason: 'whose readers are unknown',
      detail: error.message,
      hint: `Searches with X-Principals do not find the records of ${repository.full_name} until the token's owner may push to it: GitHub lists its readers to nobody else.`,
    });
  }
}

/**
 * The names of groups are unique within the account that has signed in. The scope also names the host, because two
 * hosts may have accounts of the same name. The host comes from the configuration and not from an answer, because
 * another service could pretend to be GitHub.
 */
export async function groupScope({
  http,
  config,
}: {
  readonly http: Http;
  readonly config: GitHubConfig;
}): Promise<string> {
  const { value } = await http.json({ path: 'user' }, Account);
  return `${value.login}@${siteOf(config.base_url).host}`;
}

async function emailOf(http: Http, login: string): Promise<string | null> {
  try {
    return (await http.json({ path: `users/${login}` }, Person)).value.email;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    // The account was deleted after the list was made, or is hidden.
    return null;
  }
}

const pathOf = ({ full_name }: Repository) => `repos/${full_name}/collaborators`;

const isRefusal = (error: unknown): error is SourceError =>
  error instanceof SourceError && error.kind === 'skip';
