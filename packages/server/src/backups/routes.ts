/** These are the HTTP routes of backups. They are for the operator, and serve keys alone. */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Page, sendList } from '../http/lists.ts';
import type { App } from '../http/server.ts';
import { Backup } from './schema.ts';
import type { Backups } from './service.ts';

const Params = z.object({ name: z.string() });
const tags = ['maintenance'];
const WHO =
  'A backup holds all organizations, so this needs the key of the operator (QUARRY_OPERATOR_KEY), or on a single-user install without that setting an admin key that reaches every organization.';
const Bytes = z
  .unknown()
  .meta({ type: 'string', format: 'binary', examples: ['the bytes of the file'] });

export function backupRoutes(app: App, backups: Backups): void {
  const common = {
    role: 'admin' as const,
    authenticate: (req: FastifyRequest) => backups.identify(req),
  };

  app.route({
    method: 'POST',
    url: '/v1/backups',
    config: { ...common, audit: 'backup.created' },
    schema: {
      operationId: 'createBackup',
      summary: 'Make a backup of the whole service',
      description: `A worker writes it into the folder of backups (QUARRY_BACKUP_DIR) while the service runs, one at a time. ${WHO}`,
      tags,
      response: { 202: Backup },
    },
    handler: async (req, reply) => reply.status(202).send(await backups.begin(req.ctx)),
  });

  app.route({
    method: 'GET',
    url: '/v1/backups',
    config: common,
    schema: {
      operationId: 'listBackups',
      summary: 'List the backups that the service has made, newest first',
      description: WHO,
      tags,
      querystring: Page,
      response: { 200: z.array(Backup) },
    },
    handler: async (req, reply) => sendList(reply, await backups.list(req.ctx, req.query)),
  });

  app.route({
    method: 'GET',
    url: '/v1/backups/:name',
    config: common,
    schema: {
      operationId: 'getBackup',
      summary: 'Get the state of a backup',
      description: WHO,
      tags,
      params: Params,
      response: { 200: Backup },
    },
    handler: (req) => backups.get(req.ctx, req.params.name),
  });

  app.route({
    method: 'GET',
    url: '/v1/backups/:name/content',
    config: { ...common, audit: 'backup.downloaded', headers: ['Range'] },
    schema: {
      operationId: 'downloadBackup',
      summary: 'Download a backup',
      description: `The file, or the part of it that the header \`Range\` names, so that a download can go on where it was interrupted. ${WHO}`,
      tags,
      params: Params,
      response: {
        200: {
          description: 'The whole file.',
          content: { 'application/octet-stream': { schema: Bytes } },
        },
        206: {
          description: 'The part of the file.',
          content: { 'application/octet-stream': { schema: Bytes } },
        },
      },
    },
    handler: async (req, reply) => {
      const { name, size, tag, range, stream } = await backups.content(req.ctx, req.params.name, {
        headers: req.headers,
        isHead: req.method === 'HEAD',
      });
      const { start, end } = range ?? { start: 0, end: size - 1 };
      void reply.headers({
        'accept-ranges': 'bytes',
        'content-disposition': `attachment; filename="${name}"`,
        'content-length': end - start + 1,
        etag: tag,
        ...(range && { 'content-range': `bytes ${start}-${end}/${size}` }),
      });
      return reply
        .status(range ? 206 : 200)
        .type('application/octet-stream')
        .send(stream);
    },
  });

  app.route({
    method: 'POST',
    url: '/v1/backups/:name/check',
    config: { ...common, audit: null },
    schema: {
      operationId: 'checkBackup',
      summary: 'Check a backup',
      description: `A worker reads the whole file and compares it with its digests, as \`quarry restore --check\` does; \`check\` of the backup has the outcome. ${WHO}`,
      tags,
      params: Params,
      response: { 202: Backup },
    },
    handler: async (req, reply) =>
      reply.status(202).send(await backups.check(req.ctx, req.params.name)),
  });

  app.route({
    method: 'DELETE',
    url: '/v1/backups/:name',
    config: { ...common, audit: 'backup.deleted' },
    schema: {
      operationId: 'deleteBackup',
      summary: 'Delete a backup with its file',
      description: WHO,
      tags,
      params: Params,
      response: { 200: Backup },
    },
    handler: (req) => backups.remove(req.ctx, req.params.name),
  });
}
