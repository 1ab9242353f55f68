/** These are the HTTP routes of the members of an organization. */
import { z } from 'zod';
import { Page, sendList } from '../http/lists.ts';
import type { App } from '../http/server.ts';
import type { Members } from './member-service.ts';
import { Invitation, Member, MemberPatch, NewMember } from './schema.ts';

const Params = z.object({ id: z.string() });
const tags = ['members'];

export function memberRoutes(app: App, members: Members): void {
  app.route({
    method: 'POST',
    url: '/v1/members',
    config: { role: 'admin', audit: 'member.invited' },
    schema: {
      operationId: 'inviteMember',
      summary: 'Invite somebody to the organization',
      description:
        'The link in the answer works once and for seven days. Another invitation for the same e-mail takes its place. Where a mail server is set, the link is also mailed to the person; mail says whether it was. The person is invited in any case. A key that expires gets a 403.',
      tags,
      body: NewMember,
      response: { 200: Invitation },
    },
    handler: (req) => members.invite(req.ctx, req.body),
  });

  app.route({
    method: 'GET',
    url: '/v1/members',
    config: { role: 'admin' },
    schema: {
      operationId: 'listMembers',
      summary: 'List the members of the organization and those who are invited, newest first',
      tags,
      querystring: Page,
      response: { 200: z.array(Member) },
    },
    handler: async (req, reply) => sendList(reply, await members.list(req.ctx, req.query)),
  });

  app.route({
    method: 'PATCH',
    url: '/v1/members/:id',
    config: { role: 'admin', audit: 'member.updated' },
    schema: {
      operationId: 'updateMember',
      summary: 'Change the role of a member or of somebody invited',
      description:
        'Invitations that the member made are withdrawn when the member is no longer an admin. Answers 409 when nobody else could administer the organization. A key that expires gets a 403 when it raises a role.',
      tags,
      params: Params,
      body: MemberPatch,
      response: { 200: Member },
    },
    handler: (req) => members.update(req.ctx, req.params.id, req.body),
  });

  app.route({
    method: 'DELETE',
    url: '/v1/members/:id',
    config: { role: 'admin', audit: 'member.removed' },
    schema: {
      operationId: 'removeMember',
      summary: 'Remove a member, or withdraw an invitation',
      description:
        "The member's sessions and API keys reach the organization no more, and invitations that the member made are withdrawn. Answers 409 when nobody else could administer it.",
      tags,
      params: Params,
      response: { 200: Member },
    },
    handler: (req) => members.remove(req.ctx, req.params.id),
  });
}
