/** Checks the chosen repositories before a connection is stored, and offers the repositories that the account sees. */
import { SourceError } from '../../errors.ts';
import type { FieldOption, OptionsRequest } from '../define.ts';
import type { Http } from '../kit/http.ts';
import { NotFound } from '../kit/refusal.ts';
import { Repository } from './answers.ts';
import { ownerNamed, repositoryNamed } from './choose.ts';
import type { GitHubConfig } from './config.ts';
import { linked } from './lists.ts';

/** Throws a SourceError 'config' for a repository or an owner that GitHub does not show to the account. */
export async function checkChosen(http: Http, { repositories }: GitHubConfig): Promise<void> {
  await Promise.all(
    repositories.map(async (name) => {
      try {
        await (name.includes('/') ? repositoryNamed(http, name) : ownerNamed(http, name));
      } catch (error) {
        if (!(error instanceof NotFound)) throw error;
        throw new SourceError('config', `GitHub does not show '${name}' to this token`, {
          hint: 'Check the name, and that the token reaches it: a fine-grained token reaches the repositories of one owner.',
          cause: error,
        });
      }
    }),
  );
}

/** Returns the repositories that the account sees, ordered by the time of their last push, the latest first. */
export async function options(
  http: Http,
  { query, limit }: OptionsRequest,
): Promise<readonly FieldOption[]> {
  const found: FieldOption[] = [];
  const wanted = query.toLowerCase();
  for await (const { items } of linked(
    http,
    { path: 'user/repos', query: { sort: 'pushed' } },
    Repository,
  ))
    for (const { full_name, description } of items) {
      if (!full_name.toLowerCase().includes(wanted)) continue;
      found.push({ value: full_name, title: full_name, description: description ?? undefined });
      if (found.length === limit) return found;
    }
  return found;
}
