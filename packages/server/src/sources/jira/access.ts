/**
 * Finds who may see a project and its issues: those who hold the permission to browse it, and of these, for an issue with a
 * security level, those whom the level names. It is better to hide an issue from somebody who may see it than to show it
 * to somebody who may not, so holders of kinds that are not known add nobody.
 */
import { SourceError } from '../../errors.ts';
import type { Access } from '../../model/entity.ts';
import { accessFor, EVERYONE, groupOf, NOBODY, userOf } from '../atlassian/principals.ts';
import { ifReadable } from '../atlassian/refusal.ts';
import {
  ApplicationRole,
  type Holder,
  type JiraComment,
  type JiraIssue,
  type JiraProject,
  LevelMember,
  PermissionScheme,
  Role,
  RoleAddresses,
  SecurityScheme,
} from './answer.ts';
import type { JiraPeople } from './people.ts';
import { type JiraSite, selfOf } from './reader.ts';

const REFUSED: unique symbol = Symbol('refused');

/** Those who hold a permission or a security level. Null, in place of it, means that it cannot be read. */
interface Holders {
  readonly isPublic: boolean;
  readonly names: ReadonlySet<string>;
  readonly roles: readonly ('reporter' | 'assignee')[];
}

export interface JiraAccess {
  ofProject(project: JiraProject): Promise<Access>;
  ofIssue(project: JiraProject, issue: JiraIssue): Promise<Access>;
  /** Returns the groups that the access of the project or of its issues may name. */
  groupsOf(project: JiraProject): Promise<readonly string[]>;
  /** A comment may be only for a group or a role, of those who see its issue. */
  ofComment(project: JiraProject, comment: JiraComment, issue: Access): Promise<Access>;
}

export function openAccess(site: JiraSite, people: JiraPeople): JiraAccess {
  const browsers = new Map<string, Promise<Holders | null>>();
  const levels = new Map<string, Promise<ReadonlyMap<string, Holders> | null>>();
  const roles = new Map<string, Promise<readonly string[]>>();
  const roleIds = new Map<string, Promise<ReadonlyMap<string, string>>>();

  async function holdersOf(holders: readonly Holder[], project: JiraProject): Promise<Holders> {
    const names = new Set<string>();
    for (const holder of holders)
      for (const name of await namesOf(holder, project)) names.add(name);
    const types = holders.map(({ type }) => type);
    return {
      isPublic: types.includes('anyone'),
      names,
      roles: (['reporter', 'assignee'] as const).filter((role) => types.includes(role)),
    };
  }

  async function namesOf(holder: Holder, project: JiraProject): Promise<readonly string[]> {
    const { type, parameter } = holder;
    const value = holder.value || parameter;
    switch (type) {
      case 'anyone':
        return [EVERYONE];
      case 'applicationRole':
        // With a value, it is only for those who may use one product.
        return value === '' ? [EVERYONE] : usersOf(value);
      case 'group': {
        const id = holder.value || holder.group?.groupId;
        return id ? [groupOf(id)] : [];
      }
      case 'user':
        return personAt(value || (holder.user?.accountId ?? ''));
      case 'projectLead':
        return project.lead ? personAt(project.lead.accountId) : [];
      case 'projectRole':
        return inRole(project, value);
      default:
        return [];
    }
  }

  async function personAt(accountId: string): Promise<string[]> {
    const user = (await people.all()).get(accountId);
    const name = user && userOf(user);
    return name === undefined ? [] : [name];
  }

  /** People use a product as members of its groups. */
  function usersOf(product: string): Promise<readonly string[]> {
    const path = `applicationrole/${encodeURIComponent(product)}`;
    return remembered(roles, path, async () => {
      const role = await ifReadable(() => site.ask({ path }, ApplicationRole), null);
      return (role?.groupDetails ?? []).flatMap(({ groupId }) => (groupId ? groupOf(groupId) : []));
    });
  }

  /** A comment tells the name of the role, and in place of its id sometimes the name again. */
  async function inRoleNamed(
    project: JiraProject,
    { value, identifier }: { readonly value: string; readonly identifier: string },
  ): Promise<readonly string[]> {
    const path = `project/${encodeURIComponent(project.id)}/role`;
    const ids = await remembered(roleIds, path, async () => {
      const addresses = await ifAdministered(
        () => site.ask({ path, isRefusalAmbiguous: true }, RoleAddresses),
        {},
      );
      const entries = Object.entries(addresses);
      return new Map(entries.map(([role, address]) => [role, /[^/]*$/.exec(address)?.[0] ?? '']));
    });
    const id = ids.get(value) ?? [...ids.values()].find((one) => one === identifier);
    return id ? inRole(project, id) : [];
  }

  function inRole({ id }: JiraProject, role: string): Promise<readonly string[]> {
    const path = `project/${encodeURIComponent(id)}/role/${encodeURIComponent(role)}`;
    return remembered(roles, path, () => readRole(path));
  }

  /**
   * Jira answers 401 for a role of a project that the account does not administer, as it does when its access token has
   * ended (https://jira.atlassian.com/browse/JRASERVER-40816). A question about the account renews the token if necessary.
   */
  async function ifAdministered<Value, Other>(
    read: () => Promise<Value>,
    otherwise: Other,
  ): Promise<Value | Other> {
    const unlessRefused = async (): Promise<Value | Other | typeof REFUSED> => {
      try {
        return await ifReadable(read, otherwise);
      } catch (error) {
        if (!(error instanceof SourceError) || error.kind !== 'auth') throw error;
        return REFUSED;
      }
    };
    const first = await unlessRefused();
    if (first !== REFUSED) return first;
    await selfOf(site);
    const second = await unlessRefused();
    return second === REFUSED ? otherwise : second;
  }

  async function readRole(path: string): Promise<string[]> {
    const role = await ifAdministered(
      () => site.ask({ path, isRefusalAmbiguous: true }, Role),
      null,
    );
    const names: string[] = [];
    for (const { actorUser, actorGroup } of role?.actors ?? []) {
      if (actorGroup?.groupId) names.push(groupOf(actorGroup.groupId));
      if (actorUser) names.push(...(await personAt(actorUser.accountId)));
    }
    return names;
  }

  const browsersOf = (project: JiraProject) => {
    const read = async () => {
      const path = `project/${encodeURIComponent(project.id)}/permissionscheme`;
      const query = { expand: 'permissions,user,group' };
      const scheme = await ifReadable(() => site.ask({ path, query }, PermissionScheme), null);
      const grants = scheme?.permissions.filter(
        ({ permission }) => permission === 'BROWSE_PROJECTS',
      );
      return grants
        ? holdersOf(
            grants.map(({ holder }) => holder),
            project,
          )
        : null;
    };
    return remembered(browsers, project.id, read);
  };

  const levelsOf = (project: JiraProject) => {
    const read = async () => {
      const path = `project/${encodeURIComponent(project.id)}/issuesecuritylevelscheme`;
      const members = await ifReadable(async () => {
        const { id } = await site.ask({ path }, SecurityScheme);
        const list = `issuesecurityschemes/${encodeURIComponent(id)}/members`;
        const query = { expand: 'user,group' };
        return site.list({ path: list, query }, LevelMember, (member) => member.id);
      }, null);
      if (!members) return null;
      const byLevel = Map.groupBy(members, ({ issueSecurityLevelId }) => issueSecurityLevelId);
      const found = new Map<string, Holders>();
      for (const [level, list] of byLevel)
        found.set(
          level,
          await holdersOf(
            list.map(({ holder }) => holder),
            project,
          ),
        );
      return found;
    };
    return remembered(levels, project.id, read);
  };

  /** Those who are both among the names of the one and the other. */
  async function both(one: Access, other: Access): Promise<Access> {
    const isPublic = one.isPublic && other.isPublic;
    const [names, others] = [one.viewers ?? [], other.viewers ?? []];
    if (names.includes(EVERYONE)) return { ...other, isPublic };
    if (others.includes(EVERYONE)) return { ...one, isPublic };
    const common = names.filter((name) => others.includes(name));
    const [left, right] = [await people.within(names), await people.within(others)];
    const named = await people.within(common);
    const shared = [...left].filter((person) => right.has(person) && !named.has(person));
    return accessFor([...common, ...shared], { isPublic });
  }

  const accessOf = (holders: Holders | null | undefined, issue?: JiraIssue): Access => {
    if (!holders) return NOBODY;
    const { isPublic, names, roles: own } = holders;
    const people = own.flatMap((role) => {
      const user = issue?.fields[role];
      return (user && userOf(user)) ?? [];
    });
    return accessFor([...names, ...people], { isPublic });
  };

  return {
    ofProject: async (project) => accessOf(await browsersOf(project)),
    async ofIssue(project, issue) {
      const browse = accessOf(await browsersOf(project), issue);
      const { security } = issue.fields;
      if (!security) return browse;
      const level = (await levelsOf(project))?.get(security.id);
      return both(browse, accessOf(level, issue));
    },
    async groupsOf(project) {
      const ofLevels = (await levelsOf(project)) ?? new Map<string, Holders>();
      const all = [await browsersOf(project), ...ofLevels.values()];
      return all.flatMap((holders) => [...(holders?.names ?? [])].filter(isGroup));
    },
    async ofComment(project, { visibility }, issue) {
      if (!visibility) return issue;
      const { type, identifier } = visibility;
      if (type !== 'role' && identifier === '') return NOBODY;
      const names =
        type === 'role' ? await inRoleNamed(project, visibility) : [groupOf(identifier)];
      // The group may be one that the project does not name, so its members are named here.
      return both(issue, accessFor(await people.within(names)));
    },
  };
}

const isGroup = (name: string): boolean => name.startsWith('group:') && name !== EVERYONE;

function remembered<Value>(
  known: Map<string, Promise<Value>>,
  key: string,
  read: () => Promise<Value>,
): Promise<Value> {
  const value = known.get(key) ?? read();
  known.set(key, value);
  return value;
}
