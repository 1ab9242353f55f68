/** Reads conversations with their parts, and articles with their bodies. */
import { z } from 'zod';
import { type LeftOut, type Stub, skip, type Upsert, upsert } from '../items.ts';
import { eachOf } from '../kit/listing.ts';
import { NotFound } from '../kit/refusal.ts';
import { Article, Conversation } from './answers.ts';
import type { IntercomContext } from './context.ts';
import { toArticle, toConversation } from './records.ts';
import { apiOf } from './regions.ts';

const CONCURRENCY = 4;
const GONE = { reason: 'deleted while they were read', removes: 'record' } as const;
const Breadcrumb = z.object({ id: z.string(), name: z.string(), type: z.string() });
const CarriedArticle = z.object({
  id: z.string(),
  breadcrumbs: z.array(Breadcrumb),
  author: z.string().nullable(),
});
const CarriedConversation = z.object({ id: z.string(), assignee: z.string().nullable() });

export function hydrated(
  ctx: IntercomContext,
  stubs: readonly Stub[],
): AsyncIterable<Upsert | LeftOut> {
  return eachOf(stubs, CONCURRENCY, async (one) => {
    try {
      const entity =
        one.type === 'IntercomArticle' ? await article(ctx, one) : await conversation(ctx, one);
      return upsert(entity, { partition: one.partition, version: one.version });
    } catch (error) {
      // The next pull asks only for later changes. A 403 concerns the plan of the workspace, and may pass.
      if (error instanceof NotFound) return skip(one.id, one.type, GONE);
      throw error;
    }
  });
}

async function article({ http, config }: IntercomContext, { carry }: Stub) {
  const { id, ...of } = CarriedArticle.parse(carry);
  const path = `${apiOf(config.region)}/articles/${encodeURIComponent(id)}`;
  const { value } = await http.json({ path }, Article);
  return toArticle(value, of);
}

async function conversation({ http, config }: IntercomContext, { carry }: Stub) {
  const { id, assignee } = CarriedConversation.parse(carry);
  const path = `${apiOf(config.region)}/conversations/${encodeURIComponent(id)}`;
  const { value } = await http.json({ path }, Conversation);
  return toConversation(value, { region: config.region, assignee });
}
