/**
 * Makes a company that keeps files in sites of SharePoint Online. Each record has a word that no other record has: a file
 * has it in its content, and everything else in its name.
 */
import { must } from '../../util.ts';
import { type CloudFake, newWord } from './cloud-suite.ts';
import { makeCompanyClock } from './company-clock.ts';
import type { GraphDrive, GraphGrant, GraphItem, GraphSite } from './graph-drive-world.ts';
import { openGraph } from './graph-peer.ts';
import { GRAPH_PERSON_TOKEN } from './graph-tokens.ts';

const HOUR = 3_600_000;
const GIB = 2 ** 30;

/** A record of the company that a search must find by its word. */
export interface SharepointRecord {
  /** A large file has 5 GiB, and an empty one has no bytes. */
  readonly kind: 'site' | 'drive' | 'folder' | 'file' | 'large' | 'empty' | 'package' | 'shortcut';
  readonly siteId: string;
  /** A site has no drive and no item, and a drive has no item. */
  readonly driveId: string | null;
  readonly itemId: string | null;
  /** It belongs to a person, and is in OneDrive. */
  readonly isPersonal: boolean;
}

export interface SharepointCompanyOptions {
  /** Returns the id that the connector gives to the record, or null when the connector leaves it out. */
  readonly recordId?: (record: SharepointRecord) => string | null;
  readonly config?: object;
  readonly credentials?: Readonly<Record<string, string>>;
}

interface Kept {
  readonly record: SharepointRecord;
  readonly word: string;
  readonly item: GraphItem | null;
}

export type SharepointCompany = Awaited<ReturnType<typeof openSharepointCompany>>;

/** A usual connector copies sites, drives, folders and files, but not those of people. */
const usualId = ({ kind, isPersonal, siteId, driveId, itemId }: SharepointRecord): string | null =>
  isPersonal || ['large', 'empty', 'package', 'shortcut'].includes(kind)
    ? null
    : (itemId ?? driveId ?? siteId);

export async function openSharepointCompany({
  recordId = usualId,
  config = {},
  credentials = { access_token: GRAPH_PERSON_TOKEN },
}: SharepointCompanyOptions = {}) {
  const clock = makeCompanyClock({ ago: 5 * HOUR, step: 30_000 });
  const graph = await openGraph(clock);
  const { drives: world, directory, settings } = graph;
  const { ann, bob } = directory;
  const kept = new Map<string, Kept>();
  let edits = 0;
  let added = 0;
  let removals = 0;

  const said = (word: string) => `# Notes\n\nThe ${word} flies.\n`;
  const siteOf = (driveId: string) => must(world.sites.get(must(world.drives.get(driveId)).siteId));
  function keep(
    kind: SharepointRecord['kind'],
    of: GraphSite | GraphDrive | GraphItem,
    word: string,
  ) {
    const item = 'driveId' in of ? of : null;
    const driveId = item?.driveId ?? ('rootId' in of ? of.id : null);
    const site = driveId === null ? (of as GraphSite) : siteOf(driveId);
    const ids = { siteId: site.id, driveId, itemId: item?.id ?? null };
    kept.set(of.id, { record: { kind, ...ids, isPersonal: site.isPersonal }, word, item });
  }

  const staff = directory.addGroup('Staff', [ann, bob], { isUnified: true });
  const everybody: GraphGrant[] = [
    { to: 'siteGroup', ids: ['Members'], roles: ['write'] },
    { to: 'group', ids: [staff.id], roles: ['read'] },
  ];
  world.siteGroups.set('Members', [ann.id]);
  function addSite(path: string, more: Partial<GraphSite> = {}): GraphSite {
    const word = newWord();
    const site = world.addSite(`${path} ${word}`, { path: `/sites/${path}`, ...more });
    keep('site', site, word);
    return site;
  }
  function addDrive(site: GraphSite, more: Parameters<typeof world.addDrive>[2] = {}): GraphDrive {
    const word = newWord();
    const drive = world.addDrive(site, `Documents ${word}`, { grants: everybody, ...more });
    keep('drive', drive, word);
    return drive;
  }
  function addFolder(parent: GraphItem | GraphDrive, kind: 'folder' | 'package' = 'folder') {
    const word = newWord();
    const folder = world.addFolder(parent, `Folder ${word}`, { kind });
    keep(kind, folder, word);
    return folder;
  }
  function addFile(parent: GraphItem | GraphDrive, name: string): GraphItem {
    const word = newWord();
    const file = world.addFile(parent, name, said(word));
    keep('file', file, word);
    return file;
  }
  function addNamed(parent: GraphDrive, kind: 'large' | 'empty'): GraphItem {
    const word = newWord();
    const claimedSize = kind === 'large' ? 5 * GIB : null;
    const file = world.addFile(parent, `File ${word}.md`, '', { claimedSize });
    keep(kind, file, word);
    return file;
  }
  function addShortcut(parent: GraphDrive, target: GraphItem): GraphItem {
    const word = newWord();
    const shortcut = world.addShortcut(parent, `Shortcut ${word}`, target);
    keep('shortcut', shortcut, word);
    return shortcut;
  }

  const engineering = addSite('engineering');
  const docs = addDrive(engineering);
  const wiki = addDrive(engineering);
  const plans = addFolder(docs);
  const old = addFolder(plans);
  const attic = addFolder(docs);
  const plan = addFile(plans, 'plan.md');
  for (const [i, place] of [plans, old, docs, docs, docs, wiki, wiki].entries())
    addFile(place, `file-${i}.md`);
  const film = addNamed(docs, 'large');
  const empty = addNamed(docs, 'empty');
  const notebook = addFolder(docs, 'package');
  const sales = addSite('sales');
  const offers = addDrive(sales);
  for (const place of [offers, addFolder(offers)]) addFile(place, 'offer.md');
  const shortcut = addShortcut(docs, addFile(offers, 'linked.md'));
  const events = addSite('events');
  const party = addDrive(events);
  for (const place of [party, addFolder(party), party]) addFile(place, 'party.md');
  const labs = addSite('labs', { parent: engineering.id, path: '/sites/engineering/labs' });
  addFile(addDrive(labs), 'lab.md');
  const home = addSite('ann', { isPersonal: true, path: '/personal/ann' });
  const own = addDrive(home, {
    owner: ann,
    grants: [{ to: 'user', ids: [ann.id], roles: ['owner'] }],
  });
  addFile(own, 'private.md');
  settings.largestPage = 3;
  clock.endPast();

  const isForbidden = ({ siteId, driveId }: SharepointRecord) =>
    settings.forbidden.has(siteId) || (driveId !== null && settings.forbidden.has(driveId));
  /** The company changes only these. The source cannot see changes in a part that Graph refuses to show. */
  const open = (...kinds: SharepointRecord['kind'][]) =>
    [...kept.values()].flatMap(({ record, item }) =>
      item && kinds.includes(record.kind) && !record.isPersonal && !isForbidden(record)
        ? [item]
        : [],
    );
  const isLeaf = (item: GraphItem) =>
    item !== attic &&
    [...world.items.values()].every((one) => one.parent !== item.id || one.isDeleted);
  function forgetGone(): void {
    for (const [id, { record, item }] of kept) {
      const isGone = item
        ? item.isDeleted || !world.items.has(item.id)
        : !world.drives.has(id) && !world.sites.has(id);
      if (isGone || !world.sites.has(record.siteId)) kept.delete(id);
    }
  }
  function remove(item: GraphItem): void {
    world.remove(item);
    forgetGone();
  }
  function write(file: GraphItem): void {
    const word = newWord();
    world.write(file, said(word));
    keep('file', file, word);
  }
  function rename(item: GraphItem): void {
    const word = newWord();
    world.rename(item, `Renamed ${word}`);
    keep(must(kept.get(item.id)).record.kind, item, word);
  }
  function removeSite(site: GraphSite): void {
    world.removeSite(site);
    forgetGone();
  }

  const company = {
    ...graph,
    config,
    credentials,
    expected: () =>
      new Map(
        [...kept.values()].flatMap(({ record, word }) => {
          const id = recordId(record);
          return id === null ? [] : [[id, word] as const];
        }),
      ),
    edit() {
      const files = open('file');
      // The step is prime to most lengths, so several edits reach files of all drives.
      const file = must(files[(edits * 7) % files.length]);
      const others = [...open('folder'), ...open('package', 'shortcut')];
      const steps = [
        () => write(file),
        () => rename(must(others[Math.floor(edits / 4) % others.length])),
        () => {
          world.rename(file, `renamed-${edits}.md`);
          write(file);
        },
        () => {
          const folders = open('folder').filter(({ driveId }) => driveId === file.driveId);
          const place = folders.find(({ id }) => id !== file.parent);
          world.move(file, place ?? must(world.drives.get(file.driveId)));
          write(file);
        },
      ];
      must(steps[edits++ % steps.length])();
    },
    add() {
      const places = [docs, wiki, offers].filter(
        (one) => !settings.forbidden.has(one.id) && world.drives.has(one.id),
      );
      const place = must(places[added % places.length]);
      const name = `added-${added}.md`;
      const steps = [
        () => addFile(place, name),
        () => addFile(addFolder(place), name),
        () => addFile(addDrive(engineering), name),
        () => addFile(addDrive(addSite(`added-${added}`)), name),
      ];
      must(steps[added++ % steps.length])();
    },
    remove() {
      const steps = [
        () => open('file').findLast((one) => one !== plan),
        () => open('folder').find(isLeaf),
        () => open('file').find((one) => one !== plan),
        () => open('folder').findLast((one) => one !== plans && one !== attic),
      ];
      remove(must(steps[removals++ % steps.length]?.() ?? open('file')[0]));
    },
    removeMany() {
      for (const item of [plans, ...open('file').slice(-3)]) if (!item.isDeleted) remove(item);
    },
    removePart: () => removeSite(events),
    forbidPart: () => void settings.forbidden.add(offers.id),
    shuffle() {
      company.edit();
      company.edit();
      company.add();
    },
    addSite,
    addDrive,
    addFolder,
    addFile,
    write,
    rename,
    removeItem: remove,
    removeSite,
    removeDrive(drive: GraphDrive): void {
      world.removeDrive(drive);
      forgetGone();
    },
    /** Ann and Bob are the staff. Only Ann reads `own`, and everything else is for both. */
    staff,
    engineering,
    docs,
    wiki,
    sales,
    offers,
    events,
    labs,
    home,
    own,
    plans,
    old,
    /** The company never deletes Plan alone, nor Attic, which is empty at first. */
    plan,
    attic,
    film,
    empty,
    notebook,
    shortcut,
    inPast: clock.inPast,
  } satisfies CloudFake & Record<string, unknown>;
  return company;
}
