/**
 * Answers the messages that clients post to the tool server. routes.ts imports this file with the first message, because
 * the SDK of the protocol is large.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createAccountServer, createToolServer, type ToolServerContext } from '#quarry-mcp';
import type { Ctx } from '../context.ts';
import { shown } from '../errors.ts';
import type { App } from '../http/server.ts';
import { clientOf, isPerson } from './caller.ts';
import { COLLECTION, headerOf, SESSION } from './headers.ts';
import { checkMessage, checkParams } from './message.ts';
import { onlyWanted, toReachableCollections } from './oauth/accessible-collections.ts';
import type { OAuth } from './oauth/resource.ts';
import { ownApi } from './own-api.ts';
import { McpRefusal } from './refusal.ts';
import { createRunningCalls } from './running-calls.ts';
import {
  createModernHandler,
  isLegacy,
  type SdkServer,
  type ServedRequest,
  serveLegacy,
} from './serve.ts';
import type { createSessions } from './sessions.ts';

/** The directory finds the collections that the caller of a key reaches. */
interface CollectionDirectory {
  names(ctx: Ctx): Promise<readonly { readonly readable_id: string; readonly name: string }[]>;
}

export interface ToolServerOptions {
  readonly collections: CollectionDirectory;
  /** This is null when only API keys are accepted. */
  readonly oauth: OAuth | null;
  /** A result of a tool has at most this many tokens of the model that reads it. */
  readonly resultTokens: number;
  /** Clients reach the service at this origin. Without it, the header Host of a request counts. */
  readonly publicOrigin?: string;
  /** Makes the server that answers one request. Tests give their own. */
  readonly make?: (context: ToolServerContext) => SdkServer;
}

export function createAnswers(
  app: App,
  sessions: ReturnType<typeof createSessions>,
  { collections, oauth, resultTokens, publicOrigin, make = createToolServer }: ToolServerOptions,
) {
  const modern = createModernHandler((text) => app.log.debug(text));
  const calls = createRunningCalls();
  /** Returns the answer to a message. Throws a McpRefusal. */
  async function post(req: FastifyRequest, reply: FastifyReply): Promise<Response> {
    checkMessage(req.body, headerOf(req, 'mcp-protocol-version'));
    const request = toWebRequest(req);
    if (!(await isLegacy(request, req.body)))
      return modern.serve(await served(req, request, headerOf(req, COLLECTION) ?? null));
    checkParams(req.body);
    const id = headerOf(req, SESSION);
    const client = clientOf(req);
    const wanted = headerOf(req, COLLECTION);
    const session =
      id === undefined ? sessions.open(client, wanted ?? null) : sessions.find(id, client);
    if (wanted !== undefined && wanted !== session.collection)
      throw new McpRefusal(
        400,
        `this session is for ${session.collection === null ? 'all your collections' : `the collection '${shown(session.collection)}'`}: begin another one for '${shown(wanted)}'`,
        { code: 'invalidParams' },
      );
    void reply.header(SESSION, session.id);
    calls.cancel(session.id, req.body);
    const cancelled = calls.begin(session.id, req.body, reply.raw);
    return serveLegacy(await served(req, request, session.collection), cancelled);
  }

  async function served(
    req: FastifyRequest,
    request: Request,
    collection: string | null,
  ): Promise<ServedRequest> {
    const say = (text: string) => req.log.error(text);
    const asked = { request, body: req.body, say };
    const common = {
      mode: 'hosted',
      address: publicOrigin ?? `${req.protocol}://${req.host}`,
      maxTokens: resultTokens,
      say,
    } as const;
    if (oauth && isPerson(req)) {
      const found = await oauth.collections(req.ctx.account.id);
      const reachable = onlyWanted(toReachableCollections(app, req, found), collection);
      return {
        ...asked,
        open: () => createAccountServer({ ...common, reach: async () => reachable }),
      };
    }
    const api = ownApi(app, req);
    if (collection !== null) return { ...asked, open: () => make({ ...common, api, collection }) };
    const reach = async () =>
      (await collections.names(req.ctx)).map(({ readable_id, name }) => ({
        handle: readable_id,
        collection: readable_id,
        name,
        api,
      }));
    return { ...asked, open: () => createAccountServer({ ...common, reach }) };
  }

  return { post, close: () => modern.close() };
}

/** The request has no body, because Fastify has already read it. */
function toWebRequest(req: FastifyRequest): Request {
  const headers = Object.entries(req.headers).flatMap(([name, value]): [string, string][] =>
    value === undefined || name === 'content-length' ? [] : [[name, String(value)]],
  );
  return new Request('http://localhost/mcp', {
    method: req.method,
    headers,
    signal: req.ctx.signal,
  });
}
