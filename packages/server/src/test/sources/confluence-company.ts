/**
 * Makes a company that keeps its handbook in Confluence, and changes it: people edit, move, restrict and delete what the
 * account reads.
 */
import { must } from '../../util.ts';
import {
  ATLASSIAN_CREDENTIALS,
  type AtlassianCompanyOptions,
  configAt,
  usualAtlassianId,
} from './atlassian-company.ts';
import type { CloudFake } from './cloud-company.ts';
import { HOUR, makeCompanyClock } from './company-clock.ts';
import { wordsOf } from './company-words.ts';
import { furnish } from './confluence-house.ts';
import { openConfluence } from './confluence-peer.ts';
import type {
  ConfluenceAttachment,
  ConfluenceComment,
  ConfluenceContent,
  ConfluenceSpace,
} from './confluence-records.ts';
import {
  type ConfluenceRecord,
  makeConfluenceWords,
  type WrittenRecord,
} from './confluence-words.ts';

export type ConfluenceCompany = Awaited<ReturnType<typeof openConfluenceCompany>>;

export async function openConfluenceCompany({
  recordId = usualAtlassianId,
  config = {},
  credentials = ATLASSIAN_CREDENTIALS,
}: AtlassianCompanyOptions<ConfluenceRecord> = {}) {
  const clock = makeCompanyClock({ ago: 5 * HOUR, step: 20_000 });
  const confluence = await openConfluence(clock);
  const { world, settings } = confluence;
  const { me, makers } = world;
  const writer = makeConfluenceWords(world);
  const { words, keep, add, addPage, addComment, addAttachment, countAdded } = writer;
  let edits = 0;
  let removals = 0;

  const house = furnish(world, writer);
  const { ops, web, handbook, guide } = house;
  settings.largestPage = 3;
  clock.endPast();

  const contentOf = ({ contentId }: WrittenRecord) => world.contents.get(contentId);
  const spaceOf = (one: WrittenRecord) =>
    one.kind === 'space' ? world.spaces.get(one.id) : contentOf(one)?.space;
  const isOpen = (space: ConfluenceSpace | undefined) =>
    space !== undefined &&
    world.spaces.has(space.id) &&
    world.canRead(me, space) &&
    !settings.forbidden.has(space.id);
  const isArchived = (one: WrittenRecord) =>
    spaceOf(one)?.status === 'archived' || contentOf(one)?.status === 'archived';
  const idOf = ({ record }: { readonly record: WrittenRecord }) =>
    recordId({ ...record, isArchived: isArchived(record) });
  const open = (kind: ConfluenceRecord['kind']) =>
    [...words.values()].filter(
      (one) =>
        one.record.kind === kind &&
        isOpen(spaceOf(one.record)) &&
        !isArchived(one.record) &&
        idOf(one) !== null,
    );
  /** Forgets the words of records that are gone, or that the account does not see any longer. */
  function forget(): void {
    for (const [key, { record: one }] of [...words]) {
      const content = contentOf(one);
      const isThere =
        one.kind === 'space'
          ? world.spaces.has(one.id) && world.canRead(me, must(world.spaces.get(one.id)))
          : content !== undefined &&
            content.status !== 'trashed' &&
            world.canSee(me, content) &&
            (one.kind !== 'attachment' || world.attachments.get(one.id)?.status === 'current') &&
            (!['footer', 'inline'].includes(one.kind) || world.comments.has(one.id));
      if (!isThere) words.delete(key);
    }
  }
  const leaf = (kind: 'page' | 'blogpost' = 'page') =>
    must(
      open(kind)
        .map(({ record }) => must(contentOf(record)))
        .findLast(
          (one) =>
            world.childrenOf(one).length === 0 &&
            [...words.values()].filter(({ record }) => record.contentId === one.id).length === 1,
        ),
    );
  const done = (change: () => void) => {
    change();
    forget();
  };
  const trash = (content: ConfluenceContent) => done(() => world.trash(content));
  /** From now on, only the makers see the page and those below it. The version of the page stays. */
  const restrict = (content: ConfluenceContent) =>
    done(() => {
      content.restriction = [{ type: 'group', value: makers.id }];
    });
  const removeComment = (comment: ConfluenceComment) => done(() => world.removeComment(comment));
  const removeAttachment = (file: ConfluenceAttachment) =>
    done(() => {
      file.status = 'trashed';
    });
  const move = (page: ConfluenceContent, space = page.space === ops ? web : ops) =>
    done(() => world.move(page, space, null));

  const company = {
    ...confluence,
    config: configAt(config, confluence.peer),
    credentials,
    expected: () => wordsOf(words.values(), idOf),
    /** Every sixth edit also moves a page to the other space. */
    edit() {
      const kinds = ['page', 'footer', 'blogpost', 'attachment', 'inline', 'space'] as const;
      const wanted = open(must(kinds[edits % kinds.length]));
      const found = wanted.length > 0 ? wanted : open('page');
      const { record, write } = must(found[edits % found.length]);
      keep(record, write);
      if (edits++ % 6 === 5 && isOpen(web)) move(leaf());
    },
    add() {
      const added = countAdded();
      const page = addPage(`Added ${added}`, added % 2 && isOpen(web) ? web : ops);
      addComment(page);
      addAttachment(page, 'added.md');
      add('blogpost', ops, `Added news ${countAdded()}`);
    },
    remove() {
      const steps = [
        () => trash(leaf()),
        () => removeComment(must(world.comments.get(must(open('footer').at(-1)).record.id))),
        () => removeAttachment(must(world.attachments.get(must(open('attachment')[0]).record.id))),
        () => restrict(leaf()),
        () => trash(leaf('blogpost')),
      ];
      must(steps[removals++ % steps.length])();
    },
    removeMany() {
      for (const one of [...world.childrenOf(guide), guide, handbook]) trash(one);
    },
    removePart: () =>
      done(() => {
        web.readers = [{ type: 'group', value: makers.id }];
      }),
    forbidPart: () => void settings.forbidden.add(web.id),
    shuffle() {
      for (let i = 0; i < 3; i++) company.edit();
      company.add();
    },
    addPage,
    addComment,
    addAttachment,
    trash,
    restrict,
    move,
    removeComment,
    removeAttachment,
    ...house,
    inPast: clock.inPast,
  } satisfies CloudFake & Record<string, unknown>;
  return company;
}
