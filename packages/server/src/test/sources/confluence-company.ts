/**
 * Makes a company that keeps its handbook in Confluence: in two spaces, a personal and an archived one, and a space that the
 * account may not read. Each record has one word, which stands in elements of many kinds, in both formats.
 */
import { must } from '../../util.ts';
import { adf } from './atlassian-adf.ts';
import { ATLASSIAN_API_TOKEN, ATLASSIAN_EMAIL } from './atlassian-gate.ts';
import { type CloudFake, newWord } from './cloud-suite.ts';
import { makeCompanyClock } from './company-clock.ts';
import { furnish, PLACES, said } from './confluence-house.ts';
import { openConfluence } from './confluence-peer.ts';
import type {
  ConfluenceAttachment,
  ConfluenceBody,
  ConfluenceComment,
  ConfluenceContent,
  ConfluenceSpace,
} from './confluence-records.ts';
import { storage } from './confluence-storage.ts';
import { bodyOf } from './confluence-world.ts';

const HOUR = 3_600_000;

/** A record of the company that a search must find by its word. */
export interface ConfluenceRecord {
  readonly kind: 'space' | 'page' | 'blogpost' | 'footer' | 'inline' | 'attachment';
  readonly id: string;
  /** The content on which a comment or an attachment stands, or the record itself. */
  readonly contentId: string;
  /** It is an archived space, or stands in one, or on an archived page. */
  readonly isArchived: boolean;
}

export interface ConfluenceCompanyOptions {
  /** Returns the id that the connector gives to the record, or null when the connector leaves it out. */
  readonly recordId?: (record: ConfluenceRecord) => string | null;
  /** A function gets the address of the fake. */
  readonly config?: object | ((baseUrl: string) => object);
  readonly credentials?: Readonly<Record<string, string>>;
}

export type ConfluenceCompany = Awaited<ReturnType<typeof openConfluenceCompany>>;

export async function openConfluenceCompany({
  recordId = ({ kind, id }) => `${kind}/${id}`,
  config = {},
  credentials = { email: ATLASSIAN_EMAIL, api_token: ATLASSIAN_API_TOKEN },
}: ConfluenceCompanyOptions = {}) {
  const clock = makeCompanyClock({ ago: 5 * HOUR, step: 20_000 });
  const confluence = await openConfluence(clock);
  const { world, settings } = confluence;
  const { bob, me, makers } = world;
  const words = new Map<
    string,
    {
      kind: ConfluenceRecord['kind'];
      id: string;
      on: string;
      word: string;
      write: (word: string) => void;
    }
  >();
  let edits = 0;
  let added = 0;
  let removals = 0;

  function keep(
    kind: ConfluenceRecord['kind'],
    [id, on]: readonly [string, string],
    write: (word: string) => void,
  ) {
    const word = newWord();
    words.set(`${kind}/${id}`, { kind, id, on, word, write });
    write(word);
  }
  function addSpace(key: string, name: string, more: Partial<ConfluenceSpace> = {}) {
    const space = world.addSpace(key, name, more);
    keep('space', [space.id, space.id], (word) => {
      space.description = said(word);
    });
    return space;
  }
  function add(
    kind: 'page' | 'blogpost',
    space: ConfluenceSpace,
    title: string,
    more: Partial<ConfluenceContent> = {},
  ): ConfluenceContent {
    const content = world.add(kind, space, title, more);
    const before: ConfluenceBody = more.body ?? { storage: '', adf: adf.doc() };
    const place = must(PLACES[added++ % PLACES.length]);
    keep(kind, [content.id, content.id], (word) => {
      const here = place(word);
      content.body = {
        storage: before.storage + here.storage,
        adf: adf.doc(...before.adf.content, here.node),
      };
      world.touch(content);
    });
    return content;
  }
  const addPage = (title: string, space: ConfluenceSpace, more: Partial<ConfluenceContent> = {}) =>
    add('page', space, title, more);
  function addComment(
    on: ConfluenceContent,
    kind: ConfluenceComment['kind'] = 'footer',
    parent: ConfluenceComment | null = null,
  ): ConfluenceComment {
    const comment = world.addComment(on, kind, { parent });
    keep(kind, [comment.id, on.id], (word) => {
      const { adf: document } = bodyOf(said(word));
      const text = `${storage.mention(bob.accountId)}: ${said(word)}`;
      comment.body = { storage: storage.paragraph(text), adf: document };
      world.touch(comment);
    });
    return comment;
  }
  function addAttachment(on: ConfluenceContent, name: string): ConfluenceAttachment {
    const file = world.addAttachment(on, name);
    keep('attachment', [file.id, on.id], (word) => {
      file.content = `# Plan\n\n${said(word)}\n`;
      world.touch(file);
    });
    return file;
  }

  const house = furnish({ world, addSpace, add, addComment, addAttachment });
  const { ops, web, handbook, guide } = house;
  settings.largestPage = 3;
  clock.endPast();

  const contentOf = ({ on }: { on: string }) => world.contents.get(on);
  const spaceOf = (one: { kind: string; id: string; on: string }) =>
    one.kind === 'space' ? world.spaces.get(one.id) : contentOf(one)?.space;
  const isOpen = (space: ConfluenceSpace | undefined) =>
    space !== undefined &&
    world.spaces.has(space.id) &&
    world.canRead(me, space) &&
    !settings.forbidden.has(space.id);
  const isArchivedRecord = (one: { kind: string; id: string; on: string }) =>
    spaceOf(one)?.status === 'archived' || contentOf(one)?.status === 'archived';
  const recordOf = (one: {
    kind: ConfluenceRecord['kind'];
    id: string;
    on: string;
  }): ConfluenceRecord => ({
    kind: one.kind,
    id: one.id,
    contentId: one.on,
    isArchived: isArchivedRecord(one),
  });
  const open = (...kinds: ConfluenceRecord['kind'][]) =>
    [...words.values()].filter(
      (one) =>
        kinds.includes(one.kind) &&
        isOpen(spaceOf(one)) &&
        !isArchivedRecord(one) &&
        recordId(recordOf(one)) !== null,
    );
  /** Forgets the words of records that are gone, or that the account does not see any longer. */
  function forget(): void {
    for (const [key, one] of [...words]) {
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
        .map((one) => must(contentOf(one)))
        .findLast(
          (one) =>
            world.childrenOf(one).length === 0 &&
            [...words.values()].filter(({ on }) => on === one.id).length === 1,
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
    config: typeof config === 'function' ? config(confluence.peer.baseUrl) : config,
    credentials,
    expected: () =>
      new Map(
        [...words.values()].flatMap((one) => {
          const id = recordId(recordOf(one));
          return id === null ? [] : [[id, one.word] as const];
        }),
      ),
    /** Every sixth edit also moves a page to the other space. */
    edit() {
      const kinds = ['page', 'footer', 'blogpost', 'attachment', 'inline', 'space'] as const;
      const wanted = open(must(kinds[edits % kinds.length]));
      const found = wanted.length > 0 ? wanted : open('page');
      const { kind, id, on, write } = must(found[edits % found.length]);
      keep(kind, [id, on], write);
      if (edits++ % 6 === 5 && isOpen(web)) move(leaf());
    },
    add() {
      const page = addPage(`Added ${added}`, added % 2 && isOpen(web) ? web : ops);
      addComment(page);
      addAttachment(page, 'added.md');
      add('blogpost', ops, `Added news ${added}`);
    },
    remove() {
      const steps = [
        () => trash(leaf()),
        () => removeComment(must(world.comments.get(must(open('footer').at(-1)).id))),
        () => removeAttachment(must(world.attachments.get(must(open('attachment')[0]).id))),
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
