/** Turns what git prints about a failure into a SourceError. Git has no codes for failures, only sentences. */
import { SourceError, type SourceErrorKind } from '../../errors.ts';
import { beginningOf } from '../../util.ts';

const MAX_SENTENCE = 300;
const INSTALL =
  'Install git 2.38 or newer on the machine of Quarry (Debian: apt-get install git), and for ssh also openssh-client.';

export interface GitFailure {
  readonly isLate?: boolean;
  readonly signal?: unknown;
  readonly timeoutMs: number;
  readonly folder: string;
  readonly hidden?: readonly string[];
}

/** The remote no longer has a commit or a file. */
export class ObjectGone extends SourceError {}

interface Complaint {
  readonly says: RegExp;
  readonly kind: SourceErrorKind;
  readonly what: string;
  readonly hint?: string;
}

/** The first that matches is taken, so those that say more come first. */
const MEANINGS: readonly Complaint[] = [
  {
    says: /Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED|No \S+ host key is known/i,
    kind: 'config',
    what: 'the server does not prove that it is the right one: its host key is not in host_keys',
    hint: 'Compare the keys that ssh-keyscan prints with those that the provider publishes, and put them into host_keys.',
  },
  {
    says: /error in libcrypto|invalid format|Load key|incorrect passphrase/i,
    kind: 'auth',
    what: 'the private key cannot be used: it must be whole, and without a passphrase',
  },
  {
    says: /Authentication failed|could not read (?:Username|Password)|Permission denied|error: 401|invalid credentials/i,
    kind: 'auth',
    what: 'the server refuses the credentials',
  },
  {
    says: /error: 403|access denied|not allowed to/i,
    kind: 'auth',
    what: 'the credentials may not read the repository',
  },
  {
    says: /error: 429/,
    kind: 'rate_limited',
    what: 'the server asks to wait',
  },
  {
    says: /error: 30\d|update url base from redirection/i,
    kind: 'config',
    what: 'the server redirects to another address, which is not followed',
    hint: 'Put the address to which it redirects into url.',
  },
  {
    says: /dubious ownership/,
    kind: 'config',
    what: 'the repository belongs to another user of this machine than Quarry runs as',
  },
  {
    says: /repository .*not found|not (?:appear to be )?a git repository|error: 404|does not exist|no such repository|not valid: is this a git repo/i,
    kind: 'config',
    what: 'there is no repository at this address that the credentials can see',
  },
  {
    says: /not our ref|unadvertised object|Server does not allow request|does not have the commit/i,
    kind: 'transient',
    what: 'the server no longer has what was listed',
  },
  {
    says: /SSL certificate|certificate verif|server certificate/i,
    kind: 'config',
    what: 'the certificate of the server is not valid',
  },
  {
    says: /transport '\w+' not allowed/,
    kind: 'config',
    what: 'this protocol is not allowed',
  },
  {
    says: /dumb http transport/,
    kind: 'config',
    what: 'the server has only the old protocol of Git, without shallow copies',
  },
  {
    says: /File too large|out of memory|mmap failed|cannot allocate/i,
    kind: 'config',
    what: 'the repository is too large: one commit of it may take 4 GiB',
  },
];

export const notInstalled = (cause: unknown): SourceError =>
  new SourceError('config', 'the program git cannot be started on this machine', {
    hint: INSTALL,
    cause: cause instanceof Error ? cause : new Error(String(cause)),
  });

export const tooOld = (version: string): SourceError =>
  new SourceError('config', `the program git of this machine is too old: ${version}`, {
    hint: INSTALL,
  });

export function failureOf(complaints: string, failure: GitFailure): SourceError {
  if (failure.isLate)
    return new SourceError(
      'transient',
      `git did not end within ${Math.round(failure.timeoutMs / 1000)} s`,
    );
  if (failure.signal === 'SIGXFSZ')
    return failureOf('File too large', { ...failure, signal: null });
  const said = sentenceIn(complaints, failure);
  const meaning = MEANINGS.find(({ says }) => says.test(complaints));
  const { kind, what, hint }: Omit<Complaint, 'says'> = meaning ?? {
    kind: 'transient',
    what: 'the repository cannot be read',
  };
  const message = said === '' ? what : `${what}: ${said}`;
  const isGone = meaning?.says.test('not our ref') === true;
  return isGone
    ? new ObjectGone(kind, message, { hint })
    : new SourceError(kind, message, { hint });
}

/** Returns the most telling line, without secrets and without paths of this machine. */
function sentenceIn(complaints: string, { folder, hidden = [] }: GitFailure): string {
  const lines = complaints.split('\n').map((line) => line.trim());
  const telling = lines.findLast((line) => /^(?:remote: )?(?:fatal|error): /i.test(line));
  const line = telling ?? lines.findLast((one) => one !== '') ?? '';
  const safe = [...hidden, folder]
    .filter(({ length }) => length > 3)
    .reduce((text, secret) => text.replaceAll(secret, '[hidden]'), line);
  return beginningOf(safe.replace(/^(?:remote: )?(?:fatal|error): /i, ''), MAX_SENTENCE);
}
