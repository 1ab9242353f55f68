/** The settings of a connection to websites. */
import { z } from 'zod';
import { addressOf } from './address.ts';

const Pattern = z
  .string()
  .min(1)
  .max(1000)
  .refine((pattern) => /^[/*]/.test(pattern), 'begins neither with / nor with *');
const Patterns = z.array(Pattern).min(1).max(1000);

export const Config = z.strictObject({
  start_urls: z
    .array(
      z
        .string()
        .max(2000)
        .transform((text, ctx) => {
          const address = addressOf(text);
          if (address !== null) return address;
          ctx.addIssue('is not the address of a page: give one such as https://docs.example.org/');
          return z.NEVER;
        }),
    )
    .min(1)
    .max(100)
    .meta({
      title: 'Start addresses',
      description:
        'Addresses of pages, sitemaps or feeds (RSS, Atom). From a page, links are followed; of a sitemap or a feed, the pages that it names are read.',
    }),
  hosts: z
    .array(
      z
        .string()
        .max(300)
        .refine((host) => {
          const url = URL.parse(`https://${host}`);
          return url !== null && url.pathname === '/' && !/[/?#@\s]/.test(host);
        }, 'is not a host: give one such as blog.example.org'),
    )
    .max(100)
    .optional()
    .meta({
      title: 'Further hosts',
      description: 'Pages at these hosts are read as well, such as blog.example.org.',
    }),
  include: Patterns.optional().meta({
    title: 'Include',
    description:
      'Only pages whose path begins with one of these, such as /docs/; * stands for any text, and $ for the end.',
  }),
  exclude: Patterns.optional().meta({
    title: 'Exclude',
    description:
      'Pages whose path begins with one of these are not visited, such as /calendar/ or *.pdf$.',
  }),
  max_pages: z.int().min(1).max(100_000).default(10_000).meta({
    title: 'Most pages',
    description: 'At most this many addresses are visited.',
  }),
  max_depth: z.int().min(0).max(1000).default(20).meta({
    title: 'Most links',
    description: 'Pages that lie more links than this away from a start address are not visited.',
  }),
});
export type WebConfig = z.output<typeof Config>;
