/** Holds the directory of an organization in Microsoft Entra ID: people and groups, which may be in each other. */
import type { GraphRow } from './graph-refusal.ts';

export interface GraphUser {
  readonly id: string;
  readonly displayName: string;
  readonly userPrincipalName: string;
  mail: string | null;
  accountEnabled: boolean;
  readonly userType: 'Member' | 'Guest';
  /** A person without a mailbox has no mail that Graph can read. */
  hasMailbox: boolean;
}

export interface GraphGroup {
  readonly id: string;
  displayName: string;
  readonly isUnified: boolean;
  /** The ids of people and groups. */
  readonly members: Set<string>;
  readonly owners: Set<string>;
}

export type GraphDirectory = ReturnType<typeof makeGraphDirectory>;

/** Microsoft never uses an id twice, so two organizations have no id in common. */
let lastId = 0;
export const newGraphId = (): string =>
  `8b6a1f2e-0000-4000-8000-${(++lastId).toString(16).padStart(12, '0')}`;

export function makeGraphDirectory() {
  const tenant = newGraphId();
  const users = new Map<string, GraphUser>();
  const groups = new Map<string, GraphGroup>();

  const directory = {
    tenant,
    users,
    groups,
    addUser(name: string, more: Partial<GraphUser> = {}): GraphUser {
      const user: GraphUser = {
        id: newGraphId(),
        displayName: name,
        userPrincipalName: `${name.toLowerCase()}@acme.example`,
        mail: `${name.toLowerCase()}@acme.example`,
        accountEnabled: true,
        userType: 'Member',
        hasMailbox: true,
        ...more,
      };
      users.set(user.id, user);
      return user;
    },
    addGroup(
      displayName: string,
      members: readonly { readonly id: string }[],
      { isUnified = false, owners = [] as readonly GraphUser[] } = {},
    ): GraphGroup {
      const ids = (all: readonly { readonly id: string }[]) => new Set(all.map(({ id }) => id));
      const group: GraphGroup = {
        id: newGraphId(),
        displayName,
        isUnified,
        members: ids(members),
        owners: ids(owners),
      };
      groups.set(group.id, group);
      return group;
    },
    /** Returns the ids of everybody and every group in the group, at any depth. Groups may contain each other. */
    allMembersOf(group: GraphGroup, seen = new Set<string>()): Set<string> {
      for (const id of group.members) {
        if (seen.has(id)) continue;
        seen.add(id);
        const inner = groups.get(id);
        if (inner) directory.allMembersOf(inner, seen);
      }
      return seen;
    },
    /** Returns the person with this id or user principal name. */
    userOf: (key: string): GraphUser | undefined =>
      users.get(key) ??
      [...users.values()].find(
        ({ userPrincipalName }) => userPrincipalName.toLowerCase() === key.toLowerCase(),
      ),
    userRow: (user: GraphUser): GraphRow => ({
      businessPhones: [],
      displayName: user.displayName,
      givenName: user.displayName,
      jobTitle: null,
      mail: user.mail,
      mobilePhone: null,
      officeLocation: null,
      preferredLanguage: null,
      surname: null,
      userPrincipalName: user.userPrincipalName,
      id: user.id,
    }),
    /** Graph sends these properties only when a request selects them. */
    selectableOf: (user: GraphUser): GraphRow => ({
      ...directory.userRow(user),
      accountEnabled: user.accountEnabled,
      userType: user.userType,
      otherMails: [],
      proxyAddresses: user.mail === null ? [] : [`SMTP:${user.mail}`],
    }),
    groupRow: (group: GraphGroup): GraphRow => ({
      id: group.id,
      displayName: group.displayName,
      description: null,
      groupTypes: group.isUnified ? ['Unified'] : [],
      mail: group.isUnified ? `${group.displayName.toLowerCase()}@acme.example` : null,
      mailEnabled: group.isUnified,
      securityEnabled: !group.isUnified,
      visibility: group.isUnified ? 'Private' : null,
    }),
  };

  const ann = directory.addUser('Ann');
  /** The mail address of a person may be another than the name with which the person signs in. */
  const bob = directory.addUser('Bob', {
    userPrincipalName: 'bob@acme.onmicrosoft.example',
    mail: 'Bob@Acme.example',
  });
  const cid = directory.addUser('Cid', { accountEnabled: false, hasMailbox: false });
  const guest = directory.addUser('Gus', {
    userPrincipalName: 'gus_partner.example#EXT#@acme.onmicrosoft.example',
    mail: 'gus@partner.example',
    userType: 'Guest',
    hasMailbox: false,
  });
  return { ...directory, ann, bob, cid, guest };
}
