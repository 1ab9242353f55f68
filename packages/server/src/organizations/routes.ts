/**
 * These are the HTTP routes of organizations. The schemas check requests and answers, and the handlers call the
 * service.
 */
import { z } from 'zod';
import { Page, sendList, sendWhole } from '../http/lists.ts';
import type { App } from '../http/server.ts';
import { NewOrganization, Organization, OrganizationPatch, UsageDay } from './schema.ts';
import type { Organizations } from './service.ts';

const Params = z.object({ id: z.string() });
const tags = ['organizations'];

export function organizationRoutes(app: App, organizations: Organizations): void {
  app.route({
    method: 'POST',
    url: '/v1/organizations',
    config: { role: 'admin', audit: 'organization.created' },
    schema: {
      operationId: 'createOrganization',
      summary: 'Create an organization',
      description:
        "The caller's account becomes its first admin. Needs a key with all_organizations, because another key could not reach the new organization.",
      tags,
      body: NewOrganization,
      response: { 200: Organization },
    },
    handler: (req) => organizations.create(req.ctx, req.body),
  });

  app.route({
    method: 'GET',
    url: '/v1/organizations',
    config: { role: 'read', limitedKeys: true },
    schema: {
      operationId: 'listOrganizations',
      summary: 'List organizations',
      description:
        'A key with all_organizations gets the organizations of its account, newest first; any other key gets its own one.',
      tags,
      querystring: Page,
      response: { 200: z.array(Organization) },
    },
    handler: async (req, reply) => sendList(reply, await organizations.list(req.ctx, req.query)),
  });

  app.route({
    method: 'GET',
    url: '/v1/organizations/:id',
    config: { role: 'read', limitedKeys: true },
    schema: {
      operationId: 'getOrganization',
      summary: 'Get an organization',
      tags,
      params: Params,
      response: { 200: Organization },
    },
    handler: (req) => organizations.get(req.ctx, req.params.id),
  });

  app.route({
    method: 'GET',
    url: '/v1/organizations/:id/usage',
    config: { role: 'admin' },
    schema: {
      operationId: 'getOrganizationUsage',
      summary: 'Get how much an organization was used on each of the last days',
      description:
        'Searches are counted within ten seconds; those of the last ten seconds of a process that is killed are not counted. Kept for 366 days.',
      tags,
      params: Params,
      querystring: z.object({ days: z.coerce.number().int().min(1).max(366).default(30) }),
      response: { 200: z.array(UsageDay) },
    },
    handler: async (req, reply) =>
      sendWhole(reply, await organizations.usage(req.ctx, req.params.id, req.query.days)),
  });

  app.route({
    method: 'PATCH',
    url: '/v1/organizations/:id',
    config: { role: 'admin', audit: 'organization.updated' },
    schema: {
      operationId: 'updateOrganization',
      summary: 'Change name, feature flags and quotas of an organization',
      tags,
      params: Params,
      body: OrganizationPatch,
      response: { 200: Organization },
    },
    handler: (req) => organizations.update(req.ctx, req.params.id, req.body),
  });

  app.route({
    method: 'DELETE',
    url: '/v1/organizations/:id',
    config: { role: 'admin', audit: 'organization.deleted' },
    schema: {
      operationId: 'deleteOrganization',
      summary: 'Delete an organization with all its data',
      description:
        'Its keys, collections, connections, webhooks and transformers stop at once; their rows are removed in the ' +
        'background. No event reports it. Accounts stay. Answers 409 for the last organization, and when only its keys ' +
        'can administer another organization.',
      tags,
      params: Params,
      response: { 200: Organization },
    },
    handler: (req) => organizations.remove(req.ctx, req.params.id),
  });
}
