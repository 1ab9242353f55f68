/**
 * QUARRY_SOURCES_FILE names a JSON file in which the operator sets, for each source by its short name, the OAuth client
 * and the addresses of the provider, and may switch the source off:
 *
 *   { "linear": { "client_id": "…", "client_secret": "…" }, "github": { "enabled": false } }
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { isConfidential } from './net/addresses.ts';

const Address = z.string().refine((text) => {
  const url = URL.parse(text);
  return url !== null && !url.username && !url.password && !url.hash && isConfidential(url);
}, 'use https://… (http:// on this machine only), without a user name or a fragment');

const SourceSettings = z
  .strictObject({
    client_id: z.string().min(1).optional(),
    client_secret: z.string().min(1).optional(),
    authorize_url: Address.optional(),
    token_url: Address.optional(),
    base_url: Address.optional(),
    enabled: z.boolean().default(true),
  })
  .refine(
    ({ client_id, client_secret }) => client_id !== undefined || client_secret === undefined,
    {
      message: 'is there without client_id: set both, or leave it out',
      path: ['client_secret'],
    },
  );
export type SourceSettings = z.infer<typeof SourceSettings>;

/** The keys are short names of sources. */
export type SourcesFile = Readonly<Record<string, SourceSettings>>;

/** Throws an Error with a sentence for each fault, which names the place in the file and repeats no value. */
export function readSourcesFile(path: string): SourcesFile {
  const setting = `QUARRY_SOURCES_FILE: ${path}`;
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    // The error of the parser may quote a secret of the file.
    if (error instanceof SyntaxError) throw new Error(`${setting} is not JSON: correct it`);
    throw new Error(`${setting} cannot be read (${(error as Error).message})`, { cause: error });
  }
  const parsed = z.record(z.string(), SourceSettings).safeParse(json);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => {
    const keys = issue.code === 'unrecognized_keys' ? issue.keys : [];
    const place = [...issue.path, ...keys].join('.') || 'the file';
    const known = Object.keys(SourceSettings.shape).join(', ');
    return `${setting}: ${place} ${keys.length > 0 ? `is not a setting of a source: they are ${known}` : issue.message}`;
  });
  throw new Error(faults.join('\n'));
}
