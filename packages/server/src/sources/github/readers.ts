/**
 * Says who may read private repositories. The list of collaborators of a repository also has the people who have access
 * through a team or the organization (https://docs.github.com/rest/collaborators/collaborators). GitHub identifies
 * people by their logins, and shows an e-mail address only if it is in the person's profile. So each login is a group,
 * and its member is the person with that address.
 */
import type { Membership, MembershipItem } from '../define.ts';
import type { Http } from '../kit/http.ts';
import { ifReadable } from '../kit/listing.ts';
import { unlessRefused } from '../kit/members.ts';
import { Collaborator, Person, type Repository } from './answers.ts';
import { Account, siteOf } from './api.ts';
import { choose } from './choose.ts';
import type { GitHubConfig } from './config.ts';
import { linked } from './lists.ts';
import { idIn, readersOf } from './repository.ts';

export async function* members({
  http,
  config,
}: {
  readonly http: Http;
  readonly config: GitHubConfig;
}): AsyncGenerator<MembershipItem, void, void> {
  const met = new Set<string>();
  const { repositories } = await choose(http, config);
  for (const { repository } of repositories.filter(({ repository }) => repository.private))
    yield* unlessRefused(
      {
        id: idIn(repository, 'readers'),
        people: `the readers of ${repository.full_name}`,
        remedy: 'GitHub lists them only to those who may push to the repository.',
      },
      readersIn(http, repository, met),
    );
}

/** `met` has the logins whose addresses are already known, and those of this repository are added to it. */
async function* readersIn(
  http: Http,
  repository: Repository,
  met: Set<string>,
): AsyncGenerator<Membership, void, void> {
  for await (const { items } of linked(http, { path: pathOf(repository) }, Collaborator))
    for (const { login } of items) {
      const person = `group:login/${login.toLowerCase()}`;
      yield { group: readersOf(repository), member: person };
      if (met.has(login)) continue;
      met.add(login);
      const email = await emailOf(http, login);
      if (email !== null) yield { group: person, member: `user:${email.toLowerCase()}` };
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

/** Returns null also for an account that is hidden, or was deleted after the list was made. */
const emailOf = (http: Http, login: string): Promise<string | null> =>
  ifReadable(async () => (await http.json({ path: `users/${login}` }, Person)).value.email, null);

const pathOf = ({ full_name }: Repository) => `repos/${full_name}/collaborators`;
