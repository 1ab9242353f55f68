/** Tests that pages of every form that Microsoft Graph documents lose no record and invent none. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { outlookMail } from '../../sources/catalog/outlook-mail.ts';
import { sharepointOnline } from '../../sources/catalog/sharepoint-online.ts';
import { someOf } from '../tier.ts';
import type { CloudFake } from './cloud-company.ts';
import { openGraphHouse } from './graph-house.ts';
import type { GraphPeer } from './graph-peer.ts';
import { GRAPH_PERSON_TOKEN } from './graph-tokens.ts';
import { openOutlookCompany } from './outlook-company.ts';
import { openSharepointCompany } from './sharepoint-company.ts';

const FORMS = ['emptyPages', 'repeatsItems', 'pagesTwice', 'shifts', 'deletesSilently'] as const;
const asPerson = { access_token: GRAPH_PERSON_TOKEN };

const COMPANIES = [
  [
    sharepointOnline,
    () =>
      openSharepointCompany({
        recordId: ({ kind, isPersonal, driveId, itemId }) =>
          isPersonal || !['file', 'empty'].includes(kind) ? null : `${driveId}/${itemId}`,
      }),
  ],
  [
    outlookMail,
    () =>
      openOutlookCompany({
        // The tests of outlook_mail check the files of messages.
        recordId: ({ kind, userId, folders, messageId }) =>
          kind !== 'message' || ['deleteditems', 'junkemail'].includes(folders[0] ?? '')
            ? null
            : `${userId}/${messageId}`,
      }),
  ],
] as const;

for (const [source, open] of COMPANIES)
  describe(`pages of ${source.shortName}`, () => {
    for (const form of FORMS)
      it(`are read in the form ${form}`, async () => {
        const company: CloudFake & Pick<GraphPeer, 'operator' | 'settings'> = await open();
        company.settings[form] = true;
        const house = await openGraphHouse(source, company);
        try {
          const { id, sync, full } = await house.follow({}, asPerson);
          const assertHeld = async () => {
            const rows: { entity_id: string }[] = await house.quarry.ok(
              'GET',
              `/v1/entities?source_connection_id=${id}&limit=1000`,
            );
            const held = rows.map(({ entity_id }) => entity_id);
            assert.deepEqual(
              held.filter((one) => one.split('/').length === 2).toSorted(),
              [...company.expected().keys()].toSorted(),
            );
          };
          await assertHeld();
          for (let i = 0; i < 4; i++) {
            company.edit();
            company.add();
            company.remove();
            await (i % 2 ? full() : sync());
            await assertHeld();
          }
          company.removeMany();
          await sync();
          await assertHeld();
          const { entities_inserted, entities_updated, entities_deleted } = await sync();
          assert.deepEqual([entities_inserted, entities_updated, entities_deleted], [0, 0, 0]);
        } finally {
          await house.close();
          await company.peer.close();
        }
      });

    it('are listed again when Graph forgets them while they are read', async () => {
      const company = await open();
      const house = await openGraphHouse(source, company);
      try {
        const { id, full } = await house.follow({}, asPerson);
        const from = company.peer.requests.length;
        await full();
        const count = company.peer.requests.length - from;
        for (const n of someOf(0, count)) {
          const begun = company.peer.requests.length;
          company.peer.fault = (_, at) => {
            if (at - begun === n) company.forgetCursors?.();
            return undefined;
          };
          const job = await full();
          assert.equal(job.entities_deleted, 0, `request ${n}`);
        }
        const held = await house.quarry.ok(
          'GET',
          `/v1/entities?source_connection_id=${id}&limit=1000`,
        );
        const records = held.map((row: { entity_id: string }) => row.entity_id);
        for (const expected of company.expected().keys())
          assert.ok(records.includes(expected), expected);
      } finally {
        await house.close();
        await company.peer.close();
      }
    });
  });
