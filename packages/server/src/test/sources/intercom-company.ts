/** A company in a workspace of Intercom, which the shared suites change. */
import { must } from '../../util.ts';
import type { CloudCompany } from './cloud-company.ts';
import { json } from './cloud-peer.ts';
import {
  INTERCOM_TOKEN,
  type IntercomHouse,
  openIntercomPeer,
  refusedBy,
  UNAUTHORIZED,
} from './intercom-peer.ts';
import { type IntercomWorld, newIntercomWorld } from './intercom-world.ts';

/** The company has few records, so its pages are small. */
const SMALL_PAGE = 2;
const FORBIDDEN_PART = 'tickets';

export interface IntercomCompany extends CloudCompany {
  readonly world: IntercomWorld;
  readonly house: IntercomHouse;
}

export async function openIntercomCompany(config: object = {}): Promise<IntercomCompany> {
  const world = newIntercomWorld();
  const house: IntercomHouse = { forbidden: new Set(), largestPage: SMALL_PAGE, totalPages: null };
  for (let i = 0; i < 3; i++) {
    world.addConversation();
    world.addTicket();
  }
  const handbook = world.addCollection();
  const chapter = world.addCollection(handbook.id);
  world.addCollection();
  for (const parent of [handbook.id, chapter.id, null]) world.addArticle(parent);

  const { conversations, tickets, collections, articles } = world;
  const kinds = {
    conversation: conversations,
    ticket: tickets,
    collection: collections,
    article: articles,
  };
  let turn = 0;
  /** The kinds take turns. */
  function nextKind() {
    const open = Object.values(kinds).filter(
      (records) => records !== tickets || !house.forbidden.has(FORBIDDEN_PART),
    );
    return must(open[turn++ % open.length]);
  }
  function edit(): void {
    const records = nextKind();
    const record = [...records.values()].at(turn % Math.max(1, records.size));
    if (record) world.change(record);
  }
  function remove(): void {
    const records = nextKind();
    const [first] = records.keys();
    if (first === undefined) return;
    records.delete(first);
    // The articles and collections that were in a collection stay, without it.
    world.tick();
  }
  const adders = [
    world.addConversation,
    world.addTicket,
    () => world.addArticle([...collections.keys()][0] ?? null),
    () => world.addCollection(),
  ];
  let added = 0;

  return {
    world,
    house,
    peer: await openIntercomPeer(world, house),
    config,
    credentials: { access_token: INTERCOM_TOKEN },
    refusals: {
      unauthorized: UNAUTHORIZED,
      rateLimited: [
        refusedBy(429, 'rate_limit_exceeded', 'Exceeded rate limit', {
          'x-ratelimit-limit': '1000',
          'x-ratelimit-remaining': '0',
          'x-ratelimit-reset': String(Math.floor(Date.now() / 1000) + 3600),
        }),
      ],
      serverError: json(500, {
        type: 'error.list',
        errors: [{ code: 'server_error', message: 'Something went wrong' }],
      }),
    },
    expected: () =>
      new Map(
        Object.entries(kinds).flatMap(([kind, records]) =>
          [...records.values()].map(({ id, word }) => [`${kind}/${id}`, word] as const),
        ),
      ),
    edit,
    add: () => void must(adders[added++ % adders.length])(),
    remove,
    removeMany() {
      for (let i = 0; i < 4; i++) remove();
    },
    removePart() {
      collections.clear();
      articles.clear();
      world.tick();
    },
    resync: {
      widen() {
        house.largestPage = 150;
      },
      grow() {
        world.addConversation();
        world.addTicket();
        world.addArticle(world.addCollection().id);
      },
    },
    forbidPart: () => void house.forbidden.add(FORBIDDEN_PART),
  };
}
