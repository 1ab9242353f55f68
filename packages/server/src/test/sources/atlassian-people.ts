/** The people and groups of the companies in the fakes of Atlassian's products. */
import { must } from '../../util.ts';

export interface AtlassianUser {
  readonly accountId: string;
  name: string;
  /** The address is null when the person hides it. */
  email: string | null;
  timeZone: string;
  isActive: boolean;
  readonly type: 'atlassian' | 'app';
}
export interface AtlassianGroup {
  readonly id: string;
  name: string;
  readonly members: Set<string>;
}
let lastAccount = 0;
/** Atlassian never uses an account's id twice. */
const newAccountId = () => `712020:f4c3-${String(++lastAccount).padStart(6, '0')}`;

export function makeAtlassianPeople() {
  let lastGroup = 0;
  const person = (
    name: string,
    email: string | null,
    type: AtlassianUser['type'] = 'atlassian',
  ) => ({
    accountId: newAccountId(),
    name,
    email,
    timeZone: 'Europe/Berlin',
    isActive: true,
    type,
  });
  const ann: AtlassianUser = person('Ann', 'ann@acme.example');
  const bob: AtlassianUser = person('Bob Ó Ríordáin', 'Bob@Acme.example');
  const gus: AtlassianUser = person('Gus', null);
  const cid: AtlassianUser = { ...person('Cid', 'cid@acme.example'), isActive: false };
  /** The account whose token reads Jira. */
  const me: AtlassianUser = {
    ...person('Quarry', 'quarry@acme.example'),
    timeZone: 'Asia/Kolkata',
  };
  const users = [ann, bob, gus, cid, me];
  const group = (name: string, ...members: readonly AtlassianUser[]): AtlassianGroup => ({
    id: `a1b2c3d4-${10_000 + ++lastGroup}`,
    name,
    members: new Set(members.map(({ accountId }) => accountId)),
  });
  const staff = group('jira-users-acme', ...users);
  const makers = group('makers', ann, gus, cid);
  const groups = [staff, makers];
  return {
    ann,
    bob,
    gus,
    cid,
    me,
    users,
    staff,
    makers,
    groups,
    groupOf: (id: string): AtlassianGroup => must(groups.find((one) => one.id === id)),
    isIn: (groupId: string, { accountId }: AtlassianUser): boolean =>
      groups.some(({ id, members }) => id === groupId && members.has(accountId)),
  };
}
