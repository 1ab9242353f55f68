/** Checks the choice of spaces, and lists who may read them. */
import { groupOf } from '../atlassian/principals.ts';
import { type AtlassianContext, pathToSite } from '../atlassian/site.ts';
import type { Membership, MembershipItem } from '../define.ts';
import { unlessRefused } from '../kit/members.ts';
import { openAccess } from './access.ts';
import type { SpaceAnswer } from './answer.ts';
import { type ConfluenceSite, spacesOf } from './api.ts';
import { openContents } from './contents.ts';
import { groupMembers, openPeople, readersOf } from './people.ts';
import { NO_SPACE, notSeen } from './pull.ts';

export const openSite = async (ctx: AtlassianContext): Promise<ConfluenceSite> => ({
  http: ctx.http,
  at: await pathToSite(ctx, 'confluence'),
});

/** Throws a SourceError 'config' when the account sees no space, or does not see a chosen one. */
export async function checkChoice(site: ConfluenceSite, keys: readonly string[]): Promise<void> {
  const seen = new Set((await spacesOf(site, keys)).spaces.map(({ key }) => key));
  const unseen = keys.filter((key) => !seen.has(key));
  if (unseen.length > 0) throw notSeen(unseen);
  if (seen.size === 0) throw NO_SPACE;
}

/** Yields who may read each space, and the members of all groups. */
export async function* members(
  site: ConfluenceSite,
  keys: readonly string[],
): AsyncGenerator<MembershipItem, void, void> {
  const people = openPeople(site);
  const { spaces } = await spacesOf(site, keys);
  const access = openAccess({
    ...{ site, people, contents: openContents(site) },
    spaces: new Map(spaces.map((space) => [space.id, space])),
  });
  for (const space of spaces)
    yield* unlessRefused(
      { id: `space/${space.id}/readers`, people: `the readers of the space ${space.key}` },
      readersIn(space),
    );
  yield* groupMembers(site, people);

  async function* readersIn(space: SpaceAnswer): AsyncGenerator<Membership, void, void> {
    const group = readersOf(space.id);
    const readers = await access.readersOf(space);
    await people.load(readers.people);
    for (const id of readers.groups) yield { group, member: groupOf(id) };
    for (const id of readers.people) {
      const member = people.principalOf(id);
      if (member !== undefined) yield { group, member };
    }
  }
}
