/**
 * Says who may see a record (https://support.atlassian.com/confluence-cloud/docs/what-are-confluence-cloud-permissions-and-restrictions):
 * who may read its space, and is named in each restriction of its page and of the pages above it. A space is a group, so
 * that a change of its permissions changes no record. Whatever cannot be read makes the record nobody's.
 */
import { SourceError } from '../../errors.ts';
import type { Access } from '../../model/entity.ts';
import { chunked } from '../../util.ts';
import { accessFor, groupOf, NOBODY } from '../atlassian/principals.ts';
import { ifReadable } from '../atlassian/refusal.ts';
import {
  FoundContent,
  PermissionAnswer,
  PermissionCheck,
  RestrictionAnswer,
  type SpaceAnswer,
} from './answer.ts';
import { ask, type ConfluenceSite, listAt, PAGE_SIZE, pathOf, v1PathOf } from './api.ts';
import type { ContentTree, PlacedContent } from './contents.ts';
import { type ConfluencePeople, readersOf } from './people.ts';

/** These parts of a content say who may read it, and how it is labelled. */
const EXPAND = [
  'restrictions.read.restrictions.user',
  'restrictions.read.restrictions.group',
  'metadata.labels',
].join(',');

/** The ids of accounts and of groups. A restriction without both restricts nothing. */
interface NamedReaders {
  readonly people: readonly string[];
  readonly groups: readonly string[];
}
export interface SpaceReaders extends NamedReaders {
  readonly isPublic: boolean;
}

export interface ConfluenceAccess {
  /** Throws a SourceError 'skip' when the account may not read the space. */
  readersOf(space: SpaceAnswer): Promise<SpaceReaders>;
  /** Returns who may see each content and what is on it, by its id. */
  accessTo(contents: readonly PlacedContent[]): Promise<ReadonlyMap<string, Access>>;
  labelsOf(content: PlacedContent): readonly string[];
}

interface AccessParts {
  readonly site: ConfluenceSite;
  readonly contents: ContentTree;
  readonly people: ConfluencePeople;
  readonly spaces: ReadonlyMap<string, SpaceAnswer>;
}

export function openAccess({ site, contents, people, spaces }: AccessParts): ConfluenceAccess {
  const readers = new Map<string, Promise<SpaceReaders>>();
  const restrictions = new Map<string, NamedReaders | null>();
  const labels = new Map<string, readonly string[]>();

  function readersIn(space: SpaceAnswer): Promise<SpaceReaders> {
    const asked = readers.get(space.id) ?? askReaders(site, space);
    readers.set(space.id, asked);
    return asked;
  }

  async function load(wanted: readonly PlacedContent[]): Promise<void> {
    const lines = wanted.flatMap((content) => [content, ...contents.above(content).known]);
    const unknown = new Set(lines.map(({ id }) => id).filter((id) => !restrictions.has(id)));
    // Only numbers may stand in a query.
    const ids = [...unknown].filter((id) => /^\d+$/.test(id));
    for (const some of chunked(ids, PAGE_SIZE)) {
      const query = { cql: `id in (${some.join(',')})`, expand: EXPAND };
      const request = { path: 'wiki/rest/api/content/search', query };
      for await (const { page } of listAt(site, request, { item: FoundContent }))
        for (const { id, metadata, restrictions: found } of page) {
          labels.set(id, metadata);
          if (found?.read?.isWhole) restrictions.set(id, found.read);
        }
    }
    // The search learns of new contents late, and shows only some of many people.
    for (const id of unknown)
      if (!restrictions.has(id)) restrictions.set(id, await askRestriction(site, id));
  }

  async function accessOf(content: PlacedContent): Promise<Access> {
    const space = spaces.get(content.spaceId);
    const { known, isWhole } = contents.above(content);
    const line = [content, ...known].map(({ id }) => restrictions.get(id) ?? null);
    const all = space && (await readersIn(space).catch(unreadable));
    if (!all || !isWhole || line.includes(null)) return NOBODY;
    const limits = line.flatMap((one) => (one && !isEmpty(one) ? [one] : []));
    if (limits.length === 0) return accessFor([readersOf(content.spaceId)], all);
    const [first = all, ...others] = all.isPublic ? limits : [all, ...limits];
    let viewers: NamedReaders = first;
    for (const other of others) viewers = await inBoth(viewers, other, people);
    await people.load(viewers.people);
    const named = viewers.people.flatMap((id) => people.principalOf(id) ?? []);
    return accessFor([...viewers.groups.map(groupOf), ...named]);
  }

  return {
    readersOf: readersIn,
    async accessTo(wanted) {
      await load(wanted);
      const found = new Map<string, Access>();
      for (const content of wanted) found.set(content.id, await accessOf(content));
      return found;
    },
    labelsOf: ({ id }) => labels.get(id) ?? [],
  };
}

const isEmpty = ({ people, groups }: NamedReaders): boolean => people.length + groups.length === 0;

function unreadable(error: unknown): null {
  if (error instanceof SourceError && error.kind === 'skip') return null;
  throw error;
}

/** Returns those who are among both. Groups are read only when one list has others than the other. */
async function inBoth(
  one: NamedReaders,
  other: NamedReaders,
  people: ConfluencePeople,
): Promise<NamedReaders> {
  const groups = one.groups.filter((group) => other.groups.includes(group));
  const isWithin = (list: NamedReaders) =>
    list.people.length === 0 && list.groups.length === groups.length;
  if (isWithin(one) || isWithin(other)) return { people: [], groups };
  const among = await expanded(other, people);
  return { people: [...(await expanded(one, people))].filter((id) => among.has(id)), groups };
}

async function expanded({ people: named, groups }: NamedReaders, people: ConfluencePeople) {
  const found = new Set(named);
  for (const group of groups) for (const member of await people.membersOf(group)) found.add(member);
  return found;
}

/** Throws a SourceError 'skip' when the account may not read the space. */
async function askReaders(site: ConfluenceSite, space: SpaceAnswer): Promise<SpaceReaders> {
  const people = new Set<string>();
  const groups = new Set<string>();
  const request = { path: pathOf('spaces', space.id, '/permissions') };
  for await (const { page } of listAt(site, request, { item: PermissionAnswer }))
    for (const { principal, operation } of page) {
      if (operation?.key !== 'read' || operation.targetType !== 'space') continue;
      if (principal?.type === 'user') people.add(principal.id);
      if (principal?.type === 'group') groups.add(principal.id);
    }
  return { people: [...people], groups: [...groups], isPublic: await isOpenToAll(site, space) };
}

/** No list says what people may read who have not signed in, so Confluence is asked about the first page of the space. */
async function isOpenToAll(site: ConfluenceSite, { homepageId }: SpaceAnswer): Promise<boolean> {
  if (homepageId === '') return false;
  const path = v1PathOf('content', homepageId, '/permission/check');
  const body = { subject: { type: 'user', identifier: 'anonymous' }, operation: 'read' };
  const read = async () => (await ask(site, { path, body }, PermissionCheck)).value.hasPermission;
  return ifReadable(read, false);
}

/** Pages have the same place in the list of people and in that of groups. */
async function askRestriction(site: ConfluenceSite, id: string): Promise<NamedReaders | null> {
  const path = v1PathOf('content', id, '/restriction/byOperation/read');
  const people = new Set<string>();
  const groups = new Set<string>();
  for (let start = 0; ; ) {
    const query = { expand: ['restrictions.user', 'restrictions.group'], start };
    const found = await ask(site, { path, query }, RestrictionAnswer).catch(unreadable);
    if (!found) return null;
    const { value } = found;
    const before = people.size + groups.size;
    for (const one of value.people) people.add(one);
    for (const one of value.groups) groups.add(one);
    const isRepeated = people.size + groups.size === before;
    if (value.isWhole || isRepeated) return { people: [...people], groups: [...groups] };
    start += Math.max(value.people.length, value.groups.length);
  }
}
