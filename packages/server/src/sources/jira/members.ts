/** Lists who has an account at the site, and who is in the groups that may find something. */
import { EVERYONE, userOf } from '../atlassian/principals.ts';
import type { Membership } from '../define.ts';
import { openAccess } from './access.ts';
import { openPeople } from './people.ts';
import { type JiraContext, openSite, projectsOf } from './reader.ts';

export async function* membersOf(ctx: JiraContext): AsyncGenerator<Membership, void, void> {
  const site = await openSite(ctx);
  const people = openPeople(site);
  for (const user of (await people.all()).values()) {
    const member = userOf(user);
    if (member !== undefined) yield { group: EVERYONE, member };
  }
  const access = openAccess(site, people);
  const groups = new Set<string>();
  const { projects } = await projectsOf(site, ctx.config);
  for (const project of projects)
    for (const group of await access.groupsOf(project)) groups.add(group);
  for (const group of groups)
    for (const member of await people.within([group])) yield { group, member };
}
