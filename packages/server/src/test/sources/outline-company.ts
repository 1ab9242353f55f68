/** A company that keeps a handbook, a vault and a laboratory in Outline. */
import type { CloudCompany } from './cloud-company.ts';
import { OUTLINE_KEY, openOutlinePeer, refused } from './outline-peer.ts';

export type OutlineCompany = Awaited<ReturnType<typeof openOutlineCompany>>;

export async function openOutlineCompany() {
  const { peer, world, settings } = await openOutlinePeer();
  const { people, words } = world;
  let edits = 0;
  let removals = 0;
  let adds = 0;
  let hasComments = true;

  const handbook = world.addCollection('Handbook', 'read');
  const vault = world.addCollection('Vault', null);
  const lab = world.addCollection('Lab', 'read_write');
  world.join(handbook, people.gil);
  world.join(vault, people.bob);
  world.join(vault, people.crew);
  const guide = world.addDocument(handbook, { title: 'Guide' });
  const chapter = world.addDocument(handbook, { title: 'Chapter', parentDocumentId: guide.id });
  world.join(chapter, people.vic);
  const letter = world.addDocument(vault, { title: 'Letter', createdBy: people.vic });
  for (let i = 0; i < 5; i++) world.addDocument([handbook, vault, lab][i % 3] as typeof lab);
  world.addDocument(handbook, { publishedAt: null });
  world.addDocument(handbook, { publishedAt: null, createdBy: people.ann });
  const old = world.addDocument(handbook);
  world.archive(old);
  world.addComment(old);
  world.trash(world.addDocument(handbook));
  for (let i = 0; i < 5; i++) world.addComment(guide);
  world.addComment(letter);
  const plan = world.attach(guide);
  world.attach(letter);

  const isCopied = (one: (typeof world.documents)[number]) =>
    world.isVisible(one) && world.isLive(one) && one.publishedAt !== null;
  const documents = () => world.documents.filter(isCopied);
  const comments = () => {
    const ids = new Set(documents().map(({ id }) => id));
    return world.comments.filter(({ documentId }) => ids.has(documentId));
  };
  /** Returns a document that may go, because another one stays beside it. */
  const spare = () =>
    documents()
      .filter((one) => one !== guide && one !== letter)
      .at(-1);
  const ifAny = <Value>(value: Value | undefined, change: (value: Value) => void) =>
    value === undefined ? undefined : change(value);

  const company = {
    peer,
    config: { url: peer.baseUrl },
    credentials: { api_key: OUTLINE_KEY },
    refusals: {
      unauthorized: refused(401, 'authentication_required'),
      rateLimited: [refused(429, 'rate_limit_exceeded', { 'retry-after': '3600' })],
      serverError: refused(500, 'internal_error'),
    },
    acceptToken(token: string) {
      settings.token = token;
    },
    expected() {
      const files = documents().flatMap(({ id, files }) =>
        files.map((file: string) => [`${id}/${file}`, words.get(file) as string] as const),
      );
      const others = [...world.collections, ...documents(), ...comments()].map(
        ({ id }) => [id, words.get(id) as string] as const,
      );
      return new Map([...others, ...files]);
    },
    edit() {
      const kinds = [documents(), hasComments ? comments() : [], world.collections, documents()];
      const some = kinds[edits % kinds.length] as typeof world.documents;
      ifAny(some[edits++ % some.length] ?? documents()[0], world.write);
    },
    add() {
      const collection = world.collections[adds++ % world.collections.length];
      ifAny(collection, (one) => {
        const document = world.addDocument(one);
        world.addComment(document);
        if (adds % 2) world.attach(document);
      });
    },
    remove() {
      const steps = [
        () => ifAny(spare(), world.trash),
        () => ifAny(comments()[2], (one) => world.drop(world.comments, one)),
        () => ifAny(spare(), world.archive),
        () => ifAny(spare(), world.erase),
        () =>
          ifAny(spare(), (one) => {
            one.publishedAt = null;
            world.touch(one);
          }),
        () => {
          guide.files.shift();
          world.touch(guide);
        },
      ];
      steps[removals++ % steps.length]?.();
    },
    removeMany() {
      for (const document of documents().slice(-4)) world.trash(document);
    },
    removePart: () => world.dropCollection(vault),
    /** An administrator switches comments off. */
    forbidPart() {
      hasComments = false;
      settings.isForbidden = (method) => method === 'comments.list';
    },
    resync: {
      widen() {
        settings.largestPage = 100;
      },
      grow() {
        const document = world.addDocument(vault);
        world.join(document, people.vic);
        world.addComment(document);
        world.attach(document);
      },
      full: {
        perGrowth: 2,
        why: 'Outline tells members only of a document, and they change without it',
      },
      incremental: {
        most: () => 14,
        why: 'Outline has no list of all changes, and what has the newest time is read again',
      },
    },
    shuffle() {
      for (let i = 0; i < 3; i++) company.edit();
      const [first] = documents().filter((one) => one !== guide);
      const to = world.collections[edits % world.collections.length];
      if (first && to) world.move(first, to);
      if (!old.deletedAt) (old.archivedAt ? world.restore : world.archive)(old);
      company.add();
    },
    world,
    settings,
    handbook,
    vault,
    lab,
    guide,
    chapter,
    letter,
    old,
    plan,
  } satisfies CloudCompany & Record<string, unknown>;
  return company;
}
