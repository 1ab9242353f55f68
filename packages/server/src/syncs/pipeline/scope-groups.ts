/**
 * Gives the groups of a cloud source names that no other source has: `group:<short name>/<account>/<id>`. Two sources
 * may each have a group `admins`. The members of one of these groups must not see what the other source restricts to
 * its own group.
 */
import type { MembershipItem } from '../../sources/define.ts';
import type { BelowList, LeftOut, Upsert } from '../../sources/items.ts';

const GROUP = 'group:';

export type ScopeGroup = (principal: string) => string;

/**
 * Returns a function that puts the name of a group into the scope of this account. It leaves users unchanged, and
 * groups that are already in the scope.
 */
export const scopeOfGroups = (shortName: string, account: string): ScopeGroup => {
  const scope = `${GROUP}${shortName}/${account}/`;
  return (principal) =>
    principal.startsWith(GROUP) && !principal.startsWith(scope)
      ? `${scope}${principal.slice(GROUP.length)}`
      : principal;
};

/** Puts the groups that may see the records into the scope. `scope` is called only if a record names a group. */
export async function* inScope<Item extends { readonly kind: string }>(
  items: AsyncIterable<Item | Upsert>,
  scope: () => Promise<ScopeGroup>,
): AsyncGenerator<Item | Upsert, void, void> {
  for await (const item of items)
    if (isUpsert(item) && namesGroup(item)) yield scoped(item, await scope());
    else yield item;
}

/** Does the same with the records that are below others. */
export async function* belowInScope(
  answers: AsyncIterable<BelowList | LeftOut>,
  scope: () => Promise<ScopeGroup>,
): AsyncGenerator<BelowList | LeftOut, void, void> {
  for await (const answer of answers)
    if (
      answer.kind === 'below' &&
      answer.children.some((child) => isUpsert(child) && namesGroup(child))
    ) {
      const inAccount = await scope();
      const children = answer.children.map((child) =>
        isUpsert(child) ? scoped(child, inAccount) : child,
      );
      yield { ...answer, children };
    } else yield answer;
}

export async function* membersInScope(
  members: AsyncIterable<MembershipItem>,
  scope: () => Promise<ScopeGroup>,
): AsyncGenerator<MembershipItem, void, void> {
  for await (const item of members)
    if ('kind' in item) yield item;
    else {
      const inAccount = await scope();
      yield { group: inAccount(item.group), member: inAccount(item.member) };
    }
}

const isUpsert = (item: { readonly kind: string }): item is Upsert => item.kind === 'upsert';

const namesGroup = ({ entity }: Upsert): boolean =>
  entity.access?.viewers?.some((viewer) => viewer.startsWith(GROUP)) ?? false;

function scoped(upsert: Upsert, scope: ScopeGroup): Upsert {
  const { access } = upsert.entity;
  if (!access?.viewers) return upsert;
  const viewers = access.viewers.map(scope);
  return { ...upsert, entity: { ...upsert.entity, access: { ...access, viewers } } };
}
