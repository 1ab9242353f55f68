/**
 * These are the HTTP routes of collections. The schemas check requests and answers, and the handlers call the
 * service.
 */
import { z } from 'zod';
import { Page, sendList } from '../http/lists.ts';
import type { App } from '../http/server.ts';
import { Collection, CollectionPatch, NewCollection } from './schema.ts';
import type { Collections } from './service.ts';

const Params = z.object({ readable_id: z.string() });
const tags = ['collections'];

export function collectionRoutes(app: App, collections: Collections): void {
  app.route({
    method: 'POST',
    url: '/v1/collections',
    config: { role: 'member', audit: 'collection.created' },
    schema: {
      operationId: 'createCollection',
      summary: 'Create a collection',
      tags,
      body: NewCollection,
      response: { 200: Collection },
    },
    handler: (req) => collections.create(req.ctx, req.body),
  });

  app.route({
    method: 'GET',
    url: '/v1/collections',
    config: { role: 'read', limitedKeys: true },
    schema: {
      operationId: 'listCollections',
      summary: 'List collections, newest first',
      tags,
      querystring: Page.extend({
        search: z
          .string()
          .optional()
          .describe(
            'A part of the name or of the readable_id. Upper and lower case do not matter.',
          ),
      }),
      response: { 200: z.array(Collection) },
    },
    handler: async (req, reply) => sendList(reply, await collections.list(req.ctx, req.query)),
  });

  app.route({
    method: 'GET',
    url: '/v1/collections/count',
    config: { role: 'read', limitedKeys: true },
    schema: {
      operationId: 'countCollections',
      summary: 'Count collections',
      tags,
      response: { 200: z.int().min(0) },
    },
    handler: (req) => collections.count(req.ctx),
  });

  app.route({
    method: 'GET',
    url: '/v1/collections/:readable_id',
    config: { role: 'read', limitedKeys: true },
    schema: {
      operationId: 'getCollection',
      summary: 'Get a collection',
      tags,
      params: Params,
      response: { 200: Collection },
    },
    handler: (req) => collections.get(req.ctx, req.params.readable_id),
  });

  app.route({
    method: 'PATCH',
    url: '/v1/collections/:readable_id',
    config: { role: 'member', audit: 'collection.updated', limitedKeys: true },
    schema: {
      operationId: 'updateCollection',
      summary: 'Change the name or the sync configuration of a collection',
      tags,
      params: Params,
      body: CollectionPatch,
      response: { 200: Collection },
    },
    handler: (req) => collections.update(req.ctx, req.params.readable_id, req.body),
  });

  app.route({
    method: 'DELETE',
    url: '/v1/collections/:readable_id',
    config: { role: 'member', audit: 'collection.deleted', limitedKeys: true },
    schema: {
      operationId: 'deleteCollection',
      summary: 'Delete a collection with its source connections and all their data',
      tags,
      params: Params,
      response: { 200: Collection },
    },
    handler: (req) => collections.remove(req.ctx, req.params.readable_id),
  });
}
