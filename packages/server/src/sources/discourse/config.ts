/** The settings and the cursor of a connection to a forum. */
import { z } from 'zod';
import { ServiceUrl } from '../service-url.ts';

export const DiscourseConfig = z.strictObject({
  url: ServiceUrl.meta({
    title: 'Address',
    description: 'Address of the forum, such as https://forum.example.org.',
    address: true,
  }),
  categories: z.array(z.string().regex(/^\d+$/)).max(500).default([]).meta({
    title: 'Categories',
    description:
      'Ids of the categories to copy, with the categories below them. Without any, all that the user sees are copied.',
    options: true,
  }),
});
export type DiscourseConfig = z.infer<typeof DiscourseConfig>;

export const DiscourseCursor = z.strictObject({
  /** The newest post had this id. Posts get greater ids than all earlier ones. */
  post: z.int(),
  /** The topic with the latest activity had it at this time. */
  bumped: z.string(),
  /** The viewers of each category, as text; null stands for a category that everybody may see. */
  viewers: z.record(z.string(), z.string()),
});
export type DiscourseCursor = z.infer<typeof DiscourseCursor>;

/** An interrupted full pull goes on at the posts below this id, and ends with the cursor of its beginning. */
export const DiscourseBookmark = z.strictObject({ before: z.int(), cursor: DiscourseCursor });
