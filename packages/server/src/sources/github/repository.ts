/** A repository that a connection copies, and what its records have in common. */
import type { Access, Breadcrumb, Entity } from '../../model/entity.ts';
import type { SourceItem } from '../items.ts';
import type { Repository } from './answers.ts';

export type GitHubItems<Result = void> = AsyncGenerator<SourceItem, Result, void>;

export interface Chosen {
  readonly repository: Repository;
  /**
   * It is the name by which the configuration or its owner lists the repository, in lower case, because a repository that
   * cannot be read has no other name.
   */
  readonly partition: string;
}

export const filesOf = ({ partition }: Chosen): string => `${partition}/files`;
export const issuesOf = ({ partition }: Chosen): string => `${partition}/issues`;
/** The comments of one issue or pull request are listed by themselves. */
export const threadOf = (chosen: Chosen, number: number): string => `${issuesOf(chosen)}/${number}`;

/** The group's members are those who may read the repository. */
export const readersOf = ({ id }: Repository): string => `group:repository/${id}`;

/** Records show these properties of their repository, so they are written again when one of these changes. */
export const frameOf = ({ html_url, private: isPrivate }: Repository): string =>
  `${html_url} ${isPrivate ? 'private' : 'public'}`;

/** An id of GitHub stays the same when the repository is renamed or gets another owner. */
export const idIn = ({ id }: Repository, ...path: readonly (string | number)[]): string =>
  [id, ...path].join('/');

export function commonOf(repository: Repository): {
  readonly access: Access;
  readonly breadcrumbs: readonly Breadcrumb[];
} {
  const { full_name } = repository;
  return {
    access: repository.private
      ? { viewers: [readersOf(repository)], isPublic: false }
      : { viewers: null, isPublic: true },
    breadcrumbs: [{ id: idIn(repository), name: full_name, type: 'GitHubRepository' }],
  };
}

export const dateOf = (time: string | null | undefined): Entity['createdAt'] =>
  time ? new Date(time) : undefined;
