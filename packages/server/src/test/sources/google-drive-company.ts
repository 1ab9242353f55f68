/** Makes a company whose people keep files in My Drive, in two shared drives, and in folders of others. */
import { must } from '../../util.ts';
import { docxFile, paragraph } from '../documents/docx-file.ts';
import { type CloudCompany, newWord } from './cloud-company.ts';
import { json } from './cloud-peer.ts';
import { openDrive } from './google-drive-peer.ts';
import { refused, unauthorized } from './google-drive-refusal.ts';
import { FOLDER } from './google-drive-world.ts';

const ENG = '0AEngineering';
const SALES = '0ASales';
const BOB = 'bob@acme.example';
const DOCUMENT = 'application/vnd.google-apps.document';
const PLACES = ['root-my', 'f1', 'f2', ENG, 'e1', SALES];

export async function openDriveCompany(): Promise<CloudCompany> {
  const drive = await openDrive();
  const { world, settings, me } = drive;
  const member = { type: 'user', emailAddress: me } as const;
  const words = new Map<string, string>();
  let edits = 0;
  let added = 0;
  let removals = 0;

  /** Nothing can be added to these places any more. */
  const gone = new Set<string>([SALES]);
  const isOf = (id: string, place: string): boolean => {
    const parent = world.files.get(id)?.parent;
    return parent === place || (parent !== undefined && isOf(parent, place));
  };
  /** The company changes only these files. The source cannot see changes in a part that the service refuses to list. */
  const open = () =>
    [...words.keys()].filter((id) => ![...settings.forbidden].some((place) => isOf(id, place)));
  const contentOf = (id: string, word: string) =>
    world.files.get(id)?.mimeType === DOCUMENT
      ? Buffer.from(docxFile(paragraph(`The ${word} flies.`)))
      : `The ${word} flies.`;
  function write(id: string, changes: object = {}): void {
    const word = newWord();
    words.set(id, word);
    world.change(id, { content: contentOf(id, word), ...changes });
  }
  function put(id: string, parent: string, more: object = {}): void {
    const owner = isOf(id, ENG) || [ENG, SALES, 'e1'].includes(parent) ? '' : me;
    world.put({ id, name: `${id}.md`, parent, owner, ...more });
    write(id);
  }
  const forget = (id: string) => words.delete(id);

  world.putDrive(ENG, 'Engineering', [member]);
  world.putDrive(SALES, 'Sales', [member]);
  world.put({ id: 'f1', name: 'Plans', parent: 'root-my', mimeType: FOLDER });
  world.put({ id: 'f2', name: 'Old', parent: 'f1', mimeType: FOLDER });
  world.put({ id: 'e1', name: 'Designs', parent: ENG, owner: '', mimeType: FOLDER });
  put('doc', 'f1', { name: 'Plan', mimeType: DOCUMENT });
  put('shared', 'elsewhere', { owner: BOB, shared: [member] });
  for (const place of PLACES) put(`${place}-1`, place);
  settings.largestPage = 3;

  /** Each of these changes removes one record, in a way of its own. */
  const ways = [
    (id: string) => world.change(id, { isTrashed: true }),
    (id: string) => world.remove(id),
  ];

  const company = {
    peer: drive.peer,
    config: {},
    credentials: { service_account: drive.serviceAccount, subject: me },
    refusals: {
      unauthorized: unauthorized(),
      rateLimited: [
        json(429, {}, { 'retry-after': '3600' }),
        ...['userRateLimitExceeded', 'rateLimitExceeded'].map((reason) =>
          refused(403, 'User Rate Limit Exceeded', { reason }, { 'retry-after': '3600' }),
        ),
      ],
      serverError: refused(500, 'Internal Error', { reason: 'backendError' }),
    },
    acceptToken: drive.acceptToken,
    expected: () => words,
    edit() {
      const [id] = ['doc', 'shared', `${ENG}-1`, 'f2-1', 'e1-1']
        .slice(edits++ % 5)
        .concat(open())
        .filter((one) => open().includes(one));
      if (id === undefined) return;
      // A change may also move a file or rename a folder. A renamed folder changes every file below it.
      write(
        id,
        id === 'f2-1' ? { parent: world.files.get(id)?.parent === 'f2' ? 'f1' : 'f2' } : {},
      );
      if (id === 'e1-1') world.change('e1', { name: `Designs ${edits}` });
    },
    add() {
      const places = PLACES.filter((one) => !gone.has(one));
      const place = must(places[added++ % places.length]);
      put(`added-${added}`, place);
    },
    remove() {
      const id = open().findLast((one) => one !== 'doc' && one !== 'shared');
      if (id === undefined) return;
      must(ways[removals++ % ways.length])(id);
      forget(id);
    },
    removeMany() {
      world.change('f1', { isTrashed: true });
      for (const folder of ['f1', 'f2']) gone.add(folder);
      for (const id of [...words.keys()]) if (isOf(id, 'f1')) forget(id);
      world.change('shared', { shared: [] });
      forget('shared');
    },
    removePart() {
      for (const id of [...words.keys()]) if (isOf(id, ENG)) forget(id);
      world.changeDrive(ENG, { members: [] });
      for (const place of [ENG, 'e1']) gone.add(place);
    },
    forbidPart: () => settings.forbidden.add(SALES),
    forgetCursors: drive.forgetPlaces,
    resync: {
      widen() {
        settings.largestPage = 1000;
      },
      grow() {
        for (const place of ['root-my', ENG]) put(`grown-${added++}`, place);
        put(`grown-${added++}`, 'f1', { mimeType: DOCUMENT });
        put(`grown-${added++}`, 'elsewhere', { owner: BOB, shared: [member] });
      },
    },
    shuffle() {
      settings.isReversed = !settings.isReversed;
      company.edit();
      company.add();
    },
  };
  return company;
}
