/**
 * Says who may find an item of a drive (https://learn.microsoft.com/graph/api/resources/permission). It names only people
 * and groups that certainly may open the item: a link lets nobody find anything, as in SharePoint, and Graph tells
 * neither the members of groups of a site nor what an unknown role allows.
 */
import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import type { Access } from '../../model/entity.ts';
import type { Http } from '../kit/http.ts';
import { at, collection, optional } from './collection.ts';
import { emailOf, GraphPerson } from './entra.ts';
import { EVERYONE, group, user } from './groups.ts';

const Identity = optional(
  z.object({
    id: optional(z.string()),
    /** Graph sends the address although its document does not name it. */
    email: optional(z.string()),
    loginName: optional(z.string()),
  }),
);
const Grantee = z.object({ user: Identity, group: Identity, siteUser: Identity });
type Grantee = z.infer<typeof Grantee>;

const ItemPermission = z.object({
  roles: optional(z.array(z.string().nullable())),
  expirationDateTime: optional(z.string()),
  grantedToV2: optional(Grantee),
  grantedToIdentitiesV2: optional(z.array(Grantee.nullable())),
  /** These two are what Graph sent before the two above. */
  grantedTo: optional(Grantee),
  grantedToIdentities: optional(z.array(Grantee.nullable())),
});
type ItemPermission = z.infer<typeof ItemPermission>;

const READS = new Set(['read', 'write', 'owner', 'sp.full control', 'sp.owner', 'sp.member']);

/** Graph writes the smallest of its times in place of no end. */
const NO_END = '0001-01-01';

/** Looks up the e-mail addresses of people, each once. */
export class People {
  readonly #found = new Map<string, string | undefined>();

  async emailOf(http: Http, id: string): Promise<string | undefined> {
    if (!this.#found.has(id)) this.#found.set(id, await ask(http, id));
    return this.#found.get(id);
  }
}

/** Returns undefined for a person whom the organization no longer knows, or who may not be looked up. */
async function ask(http: Http, id: string): Promise<string | undefined> {
  try {
    const query = { $select: 'id,mail,userPrincipalName' };
    return emailOf((await http.json({ path: at`users/${id}`, query }, GraphPerson)).value);
  } catch (error) {
    if (error instanceof SourceError && error.kind === 'skip') return undefined;
    throw error;
  }
}

/** Access that may not be read is nobody's. Throws NotFound when the item is gone. */
export async function accessOf(
  http: Http,
  { driveId, id }: { readonly driveId: string; readonly id: string },
  people: People,
): Promise<Access> {
  const viewers = new Set<string>();
  const path = at`drives/${driveId}/items/${id}/permissions`;
  for await (const permission of collection(http, { path }, ItemPermission))
    for (const grantee of granteesOf(permission))
      for (const viewer of await viewersOf(http, grantee, people)) viewers.add(viewer);
  return { viewers: [...viewers].toSorted(), isPublic: false };
}

function granteesOf(permission: ItemPermission): Grantee[] {
  const { roles = [], expirationDateTime: end } = permission;
  if (!roles.some((role) => READS.has(role ?? ''))) return [];
  if (end !== undefined && !end.startsWith(NO_END) && !(Date.parse(end) > Date.now())) return [];
  const one = permission.grantedToV2 ?? permission.grantedTo;
  const several = permission.grantedToIdentitiesV2 ?? permission.grantedToIdentities ?? [];
  return [one, ...several].flatMap((grantee) => grantee ?? []);
}

async function viewersOf(http: Http, grantee: Grantee, people: People): Promise<string[]> {
  const { user: person, group: named, siteUser } = grantee;
  const { loginName = '' } = siteUser ?? {};
  // Graph gives the owners of a group the id of the group, to which other people belong, too.
  if (isOwners(loginName)) return [];
  if (named?.id !== undefined) return [group(named.id)];
  const claim = principalOfLogin(loginName);
  // A group of SharePoint has an address, too, and it is not the address of a person.
  if (claim?.startsWith('group:') || loginName.startsWith('c:')) return claim ? [claim] : [];
  const email =
    person?.email || (person?.id && (await people.emailOf(http, person.id))) || siteUser?.email;
  return email ? [user(email)] : claim ? [claim] : [];
}

const isOwners = (loginName: string): boolean => /^c:0o\.c\|.*_o$/i.test(loginName);

/**
 * Returns the principal of a login name of SharePoint. The forms are those of a person
 * (`i:0#.f|membership|ann@acme.example`), a security group (`c:0t.c|tenant|<id>`), a Microsoft 365 group
 * (`c:0o.c|federateddirectoryclaimprovider|<id>`; its owners have `_o` at the end), and everybody
 * (`c:0(.s|true`, or `c:0-.f|rolemanager|spo-grid-all-users/<tenant>` without guests).
 */
export function principalOfLogin(loginName: string): string | undefined {
  const [kind = '', , name = ''] = loginName.toLowerCase().split('|');
  if (kind.startsWith('i:0#.f') && /^[^@\s]+@[^@\s]+$/.test(name)) return user(name);
  if (/^c:0(?:t|o)\.c$/.test(kind) && /^[0-9a-f-]{36}$/.test(name)) return group(name);
  if (loginName === 'c:0(.s|true' || name.startsWith('spo-grid-all-users/')) return EVERYONE;
  return undefined;
}
