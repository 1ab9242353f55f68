/**
 * Makes a company that keeps files in sites of SharePoint Online, and changes it: people write, rename, move, add and delete
 * them.
 */
import { must } from '../../util.ts';
import type { CloudFake } from './cloud-company.ts';
import { HOUR, makeCompanyClock } from './company-clock.ts';
import { type CompanyOptions, wordsOf } from './company-words.ts';
import type { GraphGrant, GraphItem } from './graph-drive-records.ts';
import { openGraph } from './graph-peer.ts';
import { GRAPH_PERSON_TOKEN } from './graph-tokens.ts';
import { makeSharepointWords, type SharepointRecord } from './sharepoint-words.ts';

/** A usual connector copies sites, drives, folders and files, but not those of people. */
const usualId = ({ kind, isPersonal, siteId, driveId, itemId }: SharepointRecord): string | null =>
  isPersonal || ['large', 'empty', 'package', 'shortcut'].includes(kind)
    ? null
    : (itemId ?? driveId ?? siteId);

export async function openSharepointCompany({
  recordId = usualId,
  config = {},
  credentials = { access_token: GRAPH_PERSON_TOKEN },
}: CompanyOptions<SharepointRecord> = {}) {
  const clock = makeCompanyClock({ ago: 5 * HOUR, step: 30_000 });
  const graph = await openGraph(clock);
  const { drives: world, directory, settings } = graph;
  const { ann, bob } = directory;
  const staff = directory.addGroup('Staff', [ann, bob], { isUnified: true });
  const everybody: GraphGrant[] = [
    { to: 'siteGroup', ids: ['Members'], roles: ['write'] },
    { to: 'group', ids: [staff.id], roles: ['read'] },
  ];
  world.siteGroups.set('Members', [ann.id]);
  const writer = makeSharepointWords(world, everybody);
  const { kept, addSite, addDrive, addFolder, addFile, write, rename, remove, removeSite } = writer;
  let edits = 0;
  let added = 0;
  let removals = 0;

  const engineering = addSite('engineering');
  const docs = addDrive(engineering);
  const wiki = addDrive(engineering);
  const plans = addFolder(docs);
  const old = addFolder(plans);
  const attic = addFolder(docs);
  const plan = addFile(plans, 'plan.md');
  for (const [i, place] of [plans, old, docs, docs, docs, wiki, wiki].entries())
    addFile(place, `file-${i}.md`);
  const film = writer.addNamed(docs, 'large');
  const empty = writer.addNamed(docs, 'empty');
  const notebook = addFolder(docs, 'package');
  const sales = addSite('sales');
  const offers = addDrive(sales);
  for (const place of [offers, addFolder(offers)]) addFile(place, 'offer.md');
  const shortcut = writer.addShortcut(docs, addFile(offers, 'linked.md'));
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
  const company = {
    ...graph,
    config,
    credentials,
    expected: () => wordsOf(kept.values(), ({ record }) => recordId(record)),
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
    removeDrive: writer.removeDrive,
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
