/** The tests of the source Discourse share these functions. Each test has a forum of its own. */
import { afterEach, beforeEach } from 'node:test';
import { SourceError } from '../../errors.ts';
import { discourse } from '../../sources/catalog/discourse.ts';
import { must } from '../../util.ts';
import { FORUM_CREDENTIALS } from './discourse-company.ts';
import { type ForumPeer, openForum } from './discourse-peer.ts';
import { entitiesOf, lastCursor, membershipsOf, type PullOptions, pullAll } from './harness.ts';

export let forum: ForumPeer;

/** Gives each test of the file an empty forum. */
export function useForum(): void {
  beforeEach(async () => {
    forum = await openForum();
  });
  afterEach(() => forum.peer.close());
}

export const settings = (config = {}) => ({
  config: { url: forum.peer.baseUrl, ...config },
  credentials: FORUM_CREDENTIALS,
});
export const pull = (options: PullOptions = {}, config = {}) =>
  pullAll(discourse, settings(config), options);
export const idsOf = (items: Awaited<ReturnType<typeof pull>>) =>
  entitiesOf(items).map(({ id }) => id);
export const cursorOf = async () => lastCursor(await pull());
export async function entityOf(id: string) {
  return must(
    entitiesOf(await pull()).find((one) => one.id === id),
    `no ${id}`,
  );
}
export async function membersOf() {
  const { memberships } = await membershipsOf(discourse, settings());
  return memberships.map(({ group, member }) => `${group} ${member}`).toSorted();
}
export const isKind = (kind: string) => (error: unknown) =>
  error instanceof SourceError && error.kind === kind;
