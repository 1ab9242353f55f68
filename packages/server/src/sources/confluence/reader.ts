/** Finds the places of the records that a listing shows, and makes stubs of them. */
import { type Stub, stub } from '../items.ts';
import { type ConfluenceAccess, openAccess } from './access.ts';
import type { AttachmentAnswer, ContentAnswer, SpaceAnswer, ThreadComment } from './answer.ts';
import type { ConfluenceSite, ListedAnswer, ListedKind, spacesOf } from './api.ts';
import { contentOf, openComments } from './comments.ts';
import { type ContentRef, crumbOf, openContents } from './contents.ts';
import { type ConfluencePeople, openPeople } from './people.ts';
import { type ConfluencePlace, idOf, spaceCrumb, TYPES, versionOf } from './records.ts';

/** `hydrate` needs this of a record. */
export interface CarriedAnswer {
  readonly site: ConfluenceSite;
  readonly people: ConfluencePeople;
  readonly kind: ListedKind;
  readonly listed: ListedAnswer;
  readonly place: ConfluencePlace;
}

export interface ConfluenceReader {
  readonly site: ConfluenceSite;
  readonly access: ConfluenceAccess;
  /** ConfluencePeople open Confluence at this address, which is '' when it is not known. */
  readonly url: string;
  /** These spaces are read, by their ids. */
  readonly spaces: ReadonlyMap<string, SpaceAnswer>;
  /** Returns stubs of the records that stand in one of the spaces. */
  stubsOf(kind: ListedKind, listed: readonly ListedAnswer[]): Promise<Stub[]>;
}

/** Comments and attachments are partitions below their space. */
export const partOf = (spaceId: string, kind: ListedKind): string => {
  const space = encodeURIComponent(spaceId);
  return kind === 'page' || kind === 'blogpost' ? space : `${space}/${kind}`;
};

interface Standing {
  readonly listed: ListedAnswer;
  /** A page or blog post stands on itself. */
  readonly on: ContentRef;
  /** These comments are above an answer to a comment. */
  readonly comments: readonly string[];
}

export function openReader(
  site: ConfluenceSite,
  { spaces: all, url }: Awaited<ReturnType<typeof spacesOf>>,
): ConfluenceReader {
  const spaces = new Map(all.map((space) => [space.id, space]));
  const contents = openContents(site);
  const comments = openComments(site);
  const people = openPeople(site);
  const access = openAccess({ site, contents, people, spaces });

  async function standingsOf(kind: ListedKind, page: readonly ListedAnswer[]): Promise<Standing[]> {
    if (kind === 'page' || kind === 'blogpost') {
      const noted = contents.note(kind, page as readonly ContentAnswer[]);
      return page.flatMap((listed, i) => {
        const on = noted[i];
        return on ? [{ listed, on, comments: [] }] : [];
      });
    }
    if (kind === 'attachment')
      return (page as readonly AttachmentAnswer[]).flatMap((listed) => {
        const on = contentOf(listed);
        return on ? [{ listed, on, comments: [] }] : [];
      });
    comments.note(page as readonly ThreadComment[]);
    const found: Standing[] = [];
    for (const listed of page) {
      const place = await comments.placeOf(kind, listed.id);
      if (place) found.push({ listed, on: place.on, comments: place.above });
    }
    return found;
  }

  return {
    ...{ site, access, spaces, url },
    async stubsOf(kind, page) {
      const standings = await standingsOf(kind, page);
      const found = await contents.find(standings.map(({ on }) => on));
      const read = [...found.values()].filter((one) => one.isCurrent && spaces.has(one.spaceId));
      const accesses = await access.accessTo(read);
      return standings.flatMap(({ listed, on, comments: above }) => {
        const content = found.get(on.id);
        const space = content && spaces.get(content.spaceId);
        const seen = accesses.get(on.id);
        if (!content || !space || !seen) return [];
        const isItself = on === content;
        const place: ConfluencePlace = {
          space,
          above: [
            spaceCrumb(space),
            ...contents.above(content).known.map(crumbOf),
            ...(isItself ? [] : [crumbOf(content)]),
            ...above.map((id) => ({
              id: idOf(kind, id),
              name: 'Comment',
              type: 'ConfluenceComment',
            })),
          ],
          access: seen,
          labels: isItself ? access.labelsOf(content) : [],
          url,
        };
        const carry: CarriedAnswer = { site, people, kind, listed, place };
        return [
          stub(idOf(kind, listed.id), TYPES[kind], {
            version: versionOf(listed, place),
            partition: partOf(space.id, kind),
            carry,
          }),
        ];
      });
    },
  };
}
