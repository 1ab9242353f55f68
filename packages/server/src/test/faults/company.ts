/** A synthetic company has documents in partitions, and people in groups. Both change at random. */
import type { Entity } from '../../model/entity.ts';
import type { Membership } from '../../sources/define.ts';
import type { Random } from '../random/random.ts';

export interface Doc {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly text: string;
  readonly partition: string;
  /** The list is undefined when the source says nothing about who may see the document. */
  readonly viewers: readonly string[] | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The revision of the text is unique in a simulation. */
  readonly rev: number;
}

export const PARTS = ['', 'hr', 'sales', 'sales/apac', 'sales/emea'] as const;
const BUSY_PART = 'sales';
/** These partitions have others below them. */
export const PARENTS = ['', BUSY_PART] as const;
export const PEOPLE = ['user:ann', 'user:bob', 'group:inner', 'group:outer'] as const;
const TYPES = ['Page', 'Ticket', 'constructor'];
const WORDS = 'alpha bravo cargo delta ember fjord gamma hotel index juror kayak lemon'.split(' ');

/** Every document has this word. */
export const COMMON = 'ledger';

export interface Company {
  /** The configuration of a connection names the company by this key. */
  readonly key: string;
  readonly docs: Map<string, Doc>;
  /** Documents below others, by the id of the document above. A change of one is a change of the document above. */
  readonly below: Map<string, Map<string, Doc>>;
  /** The change number (1, 2, 3 …) at which each id was last changed or deleted. */
  readonly changes: Map<string, number>;
  /** The change number at which a document last came into, changed in, or left each partition. */
  readonly partChanges: Map<string, number>;
  seq: number;
  /** The source has forgotten its cursors and bookmarks from before this change number. */
  oldest: number;
  /** A feed of this company does not tell what is gone. Instead it lists each partition with a change whole. */
  readonly listsParts: boolean;
  members: readonly Membership[];
  password: string;
  /** The company's clock is ahead of the clock of the service by this many milliseconds. */
  skewMs: number;
  /** The company is asked over HTTP. */
  readonly isOnline: boolean;
  /** Documents of this company have others below them. */
  readonly hasBelow: boolean;
  /** The documents below others are listed with their contents, and otherwise with their versions. */
  readonly showsBelow: boolean;
  /** A feed of this company says which version each record has. */
  readonly showsVersions: boolean;
  /** The breadcrumbs of each document name its partition. */
  readonly showsParts: boolean;
  /** The memberships of groups change again as soon as the source has listed them. */
  readonly isRestless: boolean;
}

/** A company's history follows from these and from its seed. */
export interface Circumstances {
  readonly random: Random;
  readonly now: number;
  readonly nextRev: () => number;
}

export function foundCompany(key: string, size: number, about: Circumstances): Company {
  const { random } = about;
  const company: Company = {
    key,
    docs: new Map(),
    below: new Map(),
    changes: new Map(),
    partChanges: new Map(),
    seq: 0,
    oldest: 0,
    listsParts: random.next() < 0.4,
    members: [],
    password: 'right',
    skewMs: random.next() < 0.3 ? Math.floor((random.next() - 0.5) * 7_200_000) : 0,
    isOnline: random.next() < 0.7,
    hasBelow: random.next() < 0.5,
    showsBelow: random.next() < 0.5,
    showsVersions: random.next() < 0.5,
    showsParts: random.next() < 0.5,
    isRestless: random.next() < 0.4,
  };
  for (let i = 0; i < size; i++) {
    const doc = someDoc(`d${i}`, about);
    if (company.hasBelow && random.next() < 0.4)
      for (let n = random.below(3); n >= 0; n--) putBelow(company, doc, about);
    write(company, doc);
  }
  regroup(company, random);
  return company;
}

/** Changes the company at random: a document is added, changed, moved or deleted, or the groups change. */
export function happen(company: Company, about: Circumstances): void {
  const { random, nextRev } = about;
  const now = about.now + company.skewMs;
  const docs = [...company.docs.values()];
  const doc = docs.length > 0 ? random.pick(docs) : undefined;
  const what = random.next();
  if (!doc || what < 0.2) {
    add(company, about);
    return;
  }
  if (company.hasBelow && random.next() < 0.35) {
    changeBelow(company, doc, about);
    return;
  }
  const put = (changes: Partial<Doc>) => write(company, { ...doc, updatedAt: now, ...changes });
  if (what < 0.4) put({ text: someText(random), rev: nextRev() });
  else if (what < 0.48) put({ name: someName(random) });
  // A move leaves the time of the last change as it is, because not every source counts a move as a change.
  else if (what < 0.58) put({ partition: random.pick(PARTS), updatedAt: doc.updatedAt });
  else if (what < 0.68) put({ viewers: someViewers(random) });
  else if (what < 0.74) put({});
  else if (what < 0.78) put({ type: random.pick(TYPES), rev: nextRev() });
  else if (what < 0.82) regroup(company, random);
  else if (what < 0.86) bulk();
  else erase(company, doc);

  /** Many documents change with the same timestamp. */
  function bulk() {
    for (const one of docs)
      if (random.next() < 0.5)
        write(company, { ...one, text: someText(random), updatedAt: now, rev: nextRev() });
  }
}

/** A document below another one comes, changes or goes. */
function changeBelow(company: Company, doc: Doc, about: Circumstances): void {
  const children = company.below.get(doc.id);
  if (!children || about.random.next() < 0.5) putBelow(company, doc, about);
  else children.delete(about.random.pick([...children.keys()]));
  if (children?.size === 0) company.below.delete(doc.id);
  write(company, { ...doc, updatedAt: about.now + company.skewMs });
}

function putBelow(company: Company, { id }: Doc, about: Circumstances): void {
  const children = company.below.get(id) ?? new Map<string, Doc>();
  const child = someDoc(`${id}/${about.random.below(4)}`, about);
  company.below.set(id, children.set(child.id, child));
}

/** Returns the documents below this one, which are in the same partition. */
export const docsBelow = ({ below }: Company, { id, partition }: Doc): Doc[] =>
  [...(below.get(id)?.values() ?? [])].map((child) => ({ ...child, partition }));

/** Returns a document, which may be below another one. */
export function docOf(company: Company, id: string): Doc | undefined {
  const above = company.docs.get(aboveOf(id) ?? id);
  return above?.id === id ? above : above && docsBelow(company, above).find((doc) => doc.id === id);
}

/**
 * The service shows a document again that it has left out. What is below another document is listed again only if that one
 * has changed.
 */
export function showAgain(company: Company, { id }: Doc): void {
  const above = company.docs.get(aboveOf(id) ?? '');
  if (above) note(company, above);
}

/** Returns the id of the document above; null for a document that is below none. */
export const aboveOf = (id: string): string | null =>
  id.includes('/') ? id.slice(0, id.indexOf('/')) : null;

function empty(company: Company, doc: Doc, isAll: boolean): void {
  if (isAll && company.below.delete(doc.id)) note(company, doc);
}

/** Deletes a share of the documents at once, and empties a share of the others. */
export function shrink(company: Company, share: number, random: Random): void {
  for (const doc of [...company.docs.values()])
    if (random.next() < share) erase(company, doc);
    else empty(company, doc, random.next() < share);
}

export function toEntity(company: Pick<Company, 'key' | 'showsParts'>, doc: Doc): Entity {
  return {
    id: doc.id,
    type: doc.type,
    name: doc.name,
    text: doc.text,
    url: `https://example.org/${company.key}/${doc.id}`,
    breadcrumbs: company.showsParts
      ? doc.partition.split('/').map((name) => ({ id: name, name, type: 'folder' }))
      : [],
    createdAt: new Date(doc.createdAt),
    updatedAt: new Date(doc.updatedAt),
    ...(doc.viewers !== undefined && { access: { viewers: doc.viewers, isPublic: false } }),
    fields: { rev: doc.rev },
  };
}

export function someDoc(id: string, { random, now, nextRev }: Circumstances): Doc {
  return {
    id,
    type: random.pick(TYPES),
    name: someName(random),
    text: someText(random),
    partition: somePart(random),
    viewers: someViewers(random),
    createdAt: now,
    updatedAt: now,
    rev: nextRev(),
  };
}

function add(company: Company, about: Circumstances): void {
  // Ids are used again, because a deleted document may come back as another one.
  const id = `d${about.random.below(company.docs.size + 4)}`;
  write(company, someDoc(id, { ...about, now: about.now + company.skewMs }));
}

function write(company: Company, doc: Doc): void {
  const before = company.docs.get(doc.id);
  company.docs.set(doc.id, doc);
  note(company, doc);
  if (before) company.partChanges.set(before.partition, company.seq);
}

function erase(company: Company, doc: Doc): void {
  company.docs.delete(doc.id);
  company.below.delete(doc.id);
  note(company, doc);
}

function note(company: Company, { id, partition }: Doc): void {
  company.changes.set(id, ++company.seq);
  company.partChanges.set(partition, company.seq);
}

export function regroup(company: Company, random: Random): void {
  const some = (group: string) =>
    PEOPLE.filter((member) => member !== group && random.next() < 0.4).map((member) => ({
      group,
      member,
    }));
  company.members = [...some('group:inner'), ...some('group:outer')];
}

/** One partition has so many documents that its listing can end in the middle. */
const somePart = (random: Random) => (random.next() < 0.4 ? BUSY_PART : random.pick(PARTS));

const someName = (random: Random) => `${COMMON} ${random.pick(WORDS)}`;

function someText(random: Random): string {
  const kind = random.next();
  if (kind < 0.05) return '';
  const paragraph = (words: number) =>
    `${COMMON} ${Array.from({ length: words }, () => random.pick(WORDS)).join(' ')}`;
  if (kind < 0.9) return paragraph(1 + random.below(4));
  const sections = Array.from(
    { length: 2 + random.below(3) },
    (_, i) => `## Part ${i}\n\n${paragraph(180)}`,
  );
  return sections.join('\n\n');
}

const someViewers = (random: Random): Doc['viewers'] =>
  random.pick([undefined, [], ['user:ann'], ['user:bob', 'group:outer'], ['group:inner']]);
