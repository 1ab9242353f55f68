/**
 * Says who may read private repositories. The list of collaborators of a repository already has everybody whom teams and
 * the organization let in (https://docs.github.com/rest/collaborators/collaborators). GitHub knows people by their logins and
 * tells e-mail addresses only of those who show one in their profile, so a login is a group of its own, whose member is the
 * person with that address.
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
          if (email !== null) yield { group: person, member: `user:${email}` };
        }
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // The pull has told the user already. Without members, the records are shown to no principal.
      log.warn(
        { err: error, repository: repository.full_name },
        'the readers of a repository are unknown',
      );
    }
}

/** Says that the readers of a private repository cannot be listed, so that nobody wonders who finds nothing. */
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
 * Names of groups belong to the account that has signed in, and two hosts may have an account of one name. The host is that
 * of the configuration, because another service could say that it is GitHub.
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
