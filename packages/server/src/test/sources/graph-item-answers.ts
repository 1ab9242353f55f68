/** Answers the operations of Microsoft Graph for the items of drives. */
import assert from 'node:assert/strict';
import {
  type DriveParts,
  makeDriveAccess,
  OF_DRIVE_LISTS,
  OF_FILES,
} from './graph-drive-access.ts';
import type { GraphItem } from './graph-drive-records.ts';
import { makeGraphDriveShapes } from './graph-drive-shapes.ts';
import { entry, type GraphHandlers, ok, oneOf } from './graph-handlers.ts';
import { readPrefer, readQuery, selected } from './graph-query.ts';
import { GraphRefusal, refuse } from './graph-refusal.ts';

const OF_ITEM = 'GET /v1.0/drives/{drive-id}/items/{driveItem-id}';
/** See https://learn.microsoft.com/graph/api/driveitem-delta. */
const DELTA_PREFERENCES = [
  'deltashowremovedasdeleted',
  'deltatraversepermissiongaps',
  'deltashowsharingchanges',
  'hierarchicalsharing',
];

export function makeItemAnswers(parts: DriveParts): GraphHandlers {
  const { world, directory, pager, downloadUrl } = parts;
  const { isSeen, itemAt } = makeDriveAccess(parts);
  const show = makeGraphDriveShapes(world, directory, downloadUrl);

  return {
    'GET /v1.0/drives/{drive-id}/root': {
      part: 'files',
      needs: OF_FILES,
      answer: (asked) =>
        oneOf(asked.request, show.itemRow(itemAt({ ...asked, names: [...asked.names, 'root'] }))),
    },
    [OF_ITEM]: {
      part: 'files',
      needs: OF_FILES,
      answer: (asked) => oneOf(asked.request, show.itemRow(itemAt(asked))),
    },
    [`${OF_ITEM}/children`]: {
      part: 'files',
      needs: OF_FILES,
      answer(asked) {
        const folder = itemAt(asked);
        return ok(
          pager.list(asked.request, {
            allowed: { query: OF_DRIVE_LISTS },
            usual: 200,
            rows: () =>
              [...world.items.values()]
                .filter(
                  (one) => one.parent === folder.id && !one.isDeleted && isSeen(asked.me, one),
                )
                .map((one) => entry(one.id, () => show.itemRow(one))),
          }),
        );
      },
    },
    [`${OF_ITEM}/content`]: {
      part: 'files',
      needs: OF_FILES,
      answer(asked) {
        const item = itemAt(asked);
        readQuery(asked.request, {});
        if (item.isMalware) refuse('403 malwareDetected', 'Malware was detected in this file.');
        if (item.kind !== 'file')
          refuse('400 invalidRequest', 'You cannot get content for a folder or a package.');
        throw new GraphRefusal({
          status: 302,
          headers: { location: downloadUrl(item) },
          body: '',
        });
      },
    },
    [`${OF_ITEM}/permissions`]: {
      part: 'files',
      needs: OF_FILES,
      answer(asked) {
        const item = itemAt(asked);
        return ok(
          pager.list(asked.request, {
            allowed: { query: ['$select'] },
            rows: () =>
              world
                .grantsOf(item)
                .map(({ grant, from }) => show.permissionRow(item, grant, from))
                .map((row) => entry(row.id, () => row)),
          }),
        );
      },
    },
    [`${OF_ITEM}/microsoft.graph.delta()`]: {
      part: 'files',
      needs: OF_FILES,
      answer(asked) {
        const { request, me } = asked;
        const root = itemAt(asked);
        assert.equal(root.kind, 'root', 'the fake of Graph has deltas of whole drives only');
        const prefer = readPrefer(request, { prefer: DELTA_PREFERENCES });
        const showsLost = prefer.has('deltashowremovedasdeleted');
        const changes = () =>
          world
            .itemsOf(root.driveId)
            .filter((item) => !item.isSilent && (showsLost || isSeen(me, item)))
            .toSorted((a, b) => a.seq - b.seq)
            .map((item) => {
              const isGone = item.isDeleted || !isSeen(me, item);
              const rowOf = (one: GraphItem, select: readonly string[] | null) =>
                selected(show.itemRow(one, { isDelta: true }), select);
              return {
                seq: item.seq,
                isGone,
                row: ({ select }: { select: readonly string[] | null }) =>
                  rowOf({ ...item, isDeleted: isGone }, select),
                older: ({ select }: { select: readonly string[] | null }) =>
                  rowOf(
                    {
                      ...item,
                      isDeleted: false,
                      name: item.oldName,
                      version: 0,
                      contentVersion: 0,
                    },
                    select,
                  ),
              };
            });
        return ok(
          pager.delta(request, { allowed: { query: OF_DRIVE_LISTS }, changes, isDrive: true }),
        );
      },
    },
  };
}
