/** The settings and the credentials of a connection to a Git repository. */
import { z } from 'zod';
import { secret, secretFile } from '../define.ts';
import { PatternList } from '../files/patterns.ts';
import { RemoteAddress } from './remote.ts';

/** A line of `ssh-keyscan`, or only its kind of key and the key. */
const HOST_KEY = /^(?:[^\s#@]+ )?((?:ssh|ecdsa|sk)-[\w@.-]+ [\w+/]+={0,2})(?: [^\r\n]*)?$/;

/** Git allows these names (git-check-ref-format). */
const BRANCH =
  /^(?![-/.])(?!.*(?:\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)))[^\p{Cc} ~^:?*[\\]+(?<![/.])$/u;

export const GitConfig = z.strictObject({
  url: RemoteAddress.meta({
    title: 'Address',
    description:
      'Address of the repository by https, ssh or file, such as https://example.org/team/notes.git or git@example.org:team/notes.git.',
    address: true,
  }),
  branch: z.string().max(255).regex(BRANCH, 'is not the name of a branch').optional().meta({
    title: 'Branch',
    description: 'The branch whose files are copied. Without it, the default branch.',
    options: true,
  }),
  include: PatternList.optional().meta({
    title: 'Include',
    description:
      'Patterns as in .gitignore, such as *.md or docs/; without any, all files. Secrets, dependencies, caches and build output are left out unless a pattern spells their name, such as .env or *.pem.',
  }),
  exclude: PatternList.optional().meta({
    title: 'Exclude',
    description: 'Patterns as in .gitignore of files that are left out.',
  }),
  file_url: z
    .string()
    .max(1000)
    .refine((text) => /^https?:\/\/.+\{path\}/.test(text), 'is not an address with {path} in it')
    .optional()
    .meta({
      title: 'Address of a file',
      description:
        'Address of the page of a file, with {path} and {branch} in it, such as https://example.org/team/notes/blob/{branch}/{path}. Results link there.',
    }),
  host_keys: z
    .array(z.string().max(5000).regex(HOST_KEY, 'is not a line such as ssh-ed25519 AAAA…'))
    .max(20)
    .optional()
    .meta({
      title: 'Host keys',
      description:
        'For ssh: the public keys of the server, one a line, as ssh-keyscan prints them or as the provider publishes them.',
    }),
  accept_any_host_key: z.boolean().default(false).meta({
    title: 'Accept any host key',
    description:
      'For ssh: connect even though nobody has checked that the server is the right one. Without it, host_keys are required.',
  }),
});
export type GitConfig = z.infer<typeof GitConfig>;

const ONE_LINE = /^[^\r\n\0]*$/;

export const GitCredentials = z.strictObject({
  username: z
    .string()
    .min(1)
    .max(255)
    .regex(ONE_LINE, 'has more than one line')
    .default('git')
    .meta({
      title: 'User',
      description: 'For https: the name of the user. With a token, most servers take any name.',
    }),
  password: secret('Token or password', 'For https: a token that may read the repository.')
    .max(10_000)
    .regex(ONE_LINE, 'has more than one line')
    .optional(),
  private_key: secretFile(
    'Private key',
    'For ssh: the text of a private key without a passphrase, such as a deploy key that may only read.',
  )
    .max(100_000)
    .optional(),
});
export type GitCredentials = z.infer<typeof GitCredentials>;

/** Returns the host keys without the names of their hosts, for a connection to the one host of the remote. */
export const keysOf = ({ host_keys = [] }: Pick<GitConfig, 'host_keys'>): string[] =>
  host_keys.flatMap((line) => HOST_KEY.exec(line)?.[1] ?? []);
