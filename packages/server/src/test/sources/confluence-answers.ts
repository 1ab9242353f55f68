/** Answers the operations of both versions of Confluence's API. */
import { QueryRefusal } from './atlassian-query.ts';
import type { PeerRequest } from './cloud-peer.ts';
import { type ConfluenceEntry, type ConfluenceRow, notFound, refuse } from './confluence-paging.ts';
import type { ConfluenceComment, ConfluenceContent } from './confluence-records.ts';
import { makeConfluenceSearch } from './confluence-search.ts';
import { BASE } from './confluence-shapes.ts';
import { type ConfluenceParts, makeConfluenceView } from './confluence-view.ts';

export function makeConfluenceAnswers(parts: ConfluenceParts) {
  const { world } = parts;
  const view = makeConfluenceView(parts);
  const { show, me, listed, spaceAt, contentAt, listOfContents, comments, commentAt } = view;
  const { files, attachmentAt, numbered, userAt } = view;
  const search = makeConfluenceSearch(parts, view);

  function answerTo(
    operation: string,
    [first = '', second = '']: readonly string[],
    request: PeerRequest,
    given: ConfluenceRow,
  ): unknown {
    const { url } = request;
    const list = (entries: readonly ConfluenceEntry[]) => listed(url, given, entries);
    const onPage = (kind: ConfluenceContent['kind']) => {
      const content = contentAt(first, kind);
      return (one: ConfluenceComment) => one.on === content && one.parent === null;
    };
    const short = operation.replace(/ \/wiki\/(api\/v2|rest\/api)/, ' ');
    switch (short) {
      case 'GET /spaces': {
        const { keys, ids, type, status } = given;
        const found = [...world.spaces.values()].filter(
          (one) =>
            world.canRead(me, one) &&
            (!keys || keys.includes(one.key)) &&
            (!ids || ids.includes(one.id)) &&
            (!type || type === one.type) &&
            (!status || status === one.status),
        );
        const entries = found.map((one) => ({
          place: [Number(one.id)],
          shown: () => show.space(one, { format: given['description-format'] }),
        }));
        return list(entries);
      }
      case 'GET /spaces/{id}':
        return show.space(spaceAt(first), { format: given['description-format'] });
      case 'GET /spaces/{id}/permissions': {
        const space = spaceAt(first);
        const shown = space.readers.map((one, i) => show.permission(one, i, space));
        return list(shown.map((one, i) => ({ place: [i], shown: () => one })));
      }
      case 'GET /spaces/{id}/pages':
        return list(listOfContents('page', given, first));
      case 'GET /spaces/{id}/blogposts':
        return list(listOfContents('blogpost', given, first));
      case 'GET /pages':
        return list(listOfContents('page', given));
      case 'GET /blogposts':
        return list(listOfContents('blogpost', given));
      case 'GET /pages/{id}':
        return show.content(contentAt(first, 'page'), given['body-format']);
      case 'GET /blogposts/{id}':
        return show.content(contentAt(first, 'blogpost'), given['body-format']);
      case 'GET /folders/{id}':
        return show.folder(contentAt(first, 'folder'));
      case 'GET /pages/{id}/ancestors': {
        const above = world.lineOf(contentAt(first, 'page')).slice(1).toReversed();
        return {
          results: above.map(({ id, kind }) => ({ id, type: kind })),
          _links: { base: BASE },
        };
      }
      case 'GET /pages/{id}/labels': {
        const { labels } = contentAt(first, 'page');
        const shown = labels.map((name, i) => ({ id: String(i + 1), name, prefix: 'global' }));
        return list(shown.map((one, i) => ({ place: [i], shown: () => one })));
      }
      case 'GET /pages/{id}/versions': {
        const page = contentAt(first, 'page');
        const numbers = Array.from({ length: page.version }, (_, i) => page.version - i);
        return list(
          numbers.map((number, i) => ({
            place: [i],
            shown: () => ({
              createdAt: new Date(i === 0 ? page.updatedAt : page.createdAt).toISOString(),
              message: '',
              number,
              minorEdit: false,
              authorId: page.author.accountId,
            }),
          })),
        );
      }
      case 'GET /pages/{id}/footer-comments':
        return list(comments('footer', given, onPage('page')));
      case 'GET /pages/{id}/inline-comments':
        return list(comments('inline', given, onPage('page')));
      case 'GET /blogposts/{id}/footer-comments':
        return list(comments('footer', given, onPage('blogpost')));
      case 'GET /blogposts/{id}/inline-comments':
        return list(comments('inline', given, onPage('blogpost')));
      case 'GET /footer-comments':
        return list(comments('footer', given, () => true));
      case 'GET /inline-comments':
        return list(comments('inline', given, () => true));
      case 'GET /footer-comments/{commentId}':
        return show.comment(commentAt(first, 'footer'), given['body-format']);
      case 'GET /inline-comments/{commentId}':
        return show.comment(commentAt(first, 'inline'), given['body-format']);
      case 'GET /footer-comments/{id}/children': {
        const comment = commentAt(first, 'footer');
        return list(comments('footer', given, ({ parent }) => parent === comment));
      }
      case 'GET /inline-comments/{id}/children': {
        const comment = commentAt(first, 'inline');
        return list(comments('inline', given, ({ parent }) => parent === comment));
      }
      case 'GET /pages/{id}/attachments':
        return list(files(given, contentAt(first, 'page')));
      case 'GET /blogposts/{id}/attachments':
        return list(files(given, contentAt(first, 'blogpost')));
      case 'GET /attachments':
        return list(files(given));
      case 'GET /attachments/{id}':
        return show.attachment(attachmentAt(first));
      case 'POST /users-bulk': {
        const { accountIds } = JSON.parse(request.body);
        const found = world.users.filter(({ accountId }) => accountIds.includes(accountId));
        return { results: found.map(show.userOfBulk), _links: { base: BASE } };
      }
      case 'GET /search':
        return search(url, given);
      case 'GET /content/search':
        return search(url, given, 'contentFound');
      case 'POST /content/{id}/permission/check': {
        const content = contentAt(first);
        const { subject, operation: key } = JSON.parse(request.body);
        if (subject.type !== 'user' || key !== 'read')
          throw new Error(`the fake of Confluence does not check ${subject.type} ${key}`);
        const person = subject.identifier === 'anonymous' ? undefined : userAt(subject.identifier);
        return { hasPermission: world.canSee(person, content), errors: [], _links: {} };
      }
      case 'GET /content/{id}/restriction': {
        const content = contentAt(first);
        const results = (['read', 'update'] as const).map((one) =>
          show.restriction(content, one, given),
        );
        return { ...numbered(results, {}, (one) => one), restrictionsHash: 'a' };
      }
      case 'GET /content/{id}/restriction/byOperation': {
        const content = contentAt(first);
        const read = show.restriction(content, 'read', given);
        return {
          read,
          update: show.restriction(content, 'update', given),
          _links: {},
        };
      }
      case 'GET /content/{id}/restriction/byOperation/{operationKey}':
        return show.restriction(contentAt(first), second as 'read' | 'update', given);
      case 'GET /group':
        return numbered(world.groups, given, show.group);
      case 'GET /group/{groupId}/membersByGroupId': {
        const group = world.groups.find(({ id }) => id === first) ?? notFound('The group');
        const found = world.users.filter(({ accountId }) => group.members.has(accountId));
        return { ...numbered(found, given, show.user), totalSize: found.length };
      }
      case 'GET /user':
        return show.user(userAt(given.accountId));
      case 'GET /user/current':
        return show.user(me);
      case 'GET /settings/systemInfo':
        return {
          cloudId: 'the cloud',
          commitHash: 'a',
          baseUrl: BASE,
          siteTitle: 'Confluence',
          defaultTimeZone: 'Europe/Berlin',
        };
      default:
        throw new Error(`the fake of Confluence does not serve ${operation}`);
    }
  }
  return {
    attachmentAt,
    /** Throws a ConfluenceRefusal. */
    answerTo(...asked: Parameters<typeof answerTo>): unknown {
      try {
        return answerTo(...asked);
      } catch (error) {
        if (error instanceof QueryRefusal) return refuse(400, 'BAD_REQUEST', error.message);
        throw error;
      }
    },
  };
}
