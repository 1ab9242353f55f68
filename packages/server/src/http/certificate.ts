/**
 * The certificate with which the API speaks TLS. It comes from files, which are looked at every few seconds, because watches
 * of the system miss the links by which Kubernetes and certbot replace files.
 *
 * The two files are replaced one after the other, so a change counts only when two looks have found the same contents. When
 * new files cannot be used, or are not valid now while the old certificate is, the service goes on with the old one, and says
 * so. Open connections keep the certificate with which they began.
 */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Server } from 'node:https';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import type { Logger } from 'pino';
import type { ServiceProblem } from '../model/service-problem.ts';
import type { TlsFiles } from '../tls-settings.ts';

const LOOK_MS = 5000;
/** A certificate should have been renewed when this much is left, or a third of its life where that is shorter. */
const SOON_MS = 7 * 86_400_000;
const MIN_VERSION = 'TLSv1.2';

type TlsFileContent = string | NodeJS.ErrnoException;

interface FoundFiles {
  readonly certificate: TlsFileContent;
  readonly key: TlsFileContent;
}

interface LoadedCertificate {
  /** The contents of both files, by which a change is noticed. */
  readonly read: string;
  readonly options: SecureContextOptions;
  readonly validFrom: Date;
  readonly validTo: Date;
}

/** A server that was made with a certificate. */
export type SecureServer = Pick<Server, 'setSecureContext'>;

export interface ServedCertificate {
  /** Returns what a server begins with. */
  options(): SecureContextOptions;
  /** The server takes each new certificate for its new connections. */
  renew(server: SecureServer): void;
  /** Looks at the files, or waits for the look that runs. It does not reject. */
  look(): Promise<void>;
  /** Returns what is wrong with the certificate or with the newest files. */
  problems(): readonly ServiceProblem[];
  close(): void;
}

/** Throws an Error with a message for the operator when the files cannot be used. */
export function openCertificate(
  files: TlsFiles,
  { log, lookMs = LOOK_MS }: { readonly log: Logger; readonly lookMs?: number },
): ServedCertificate {
  let current = load(files, readNow(files));
  const servers = new Set<SecureServer>();
  let fault: string | null = null;
  /** The last look has found this. */
  let seen = current.read;

  const lookOnce = async () => {
    const found = await read(files);
    const content = contentOf(found);
    const isSettled = content === seen;
    seen = content;
    if (!isSettled) return;
    if (content === current.read) {
      fault = null;
      return;
    }
    try {
      const next = load(files, found);
      if (isValid(current)) requireValid(next);
      current = next;
      for (const server of servers) server.setSecureContext(current.options);
      fault = null;
      log.info({ until: current.validTo }, 'the certificate has been renewed');
    } catch (error) {
      const { message } = error as Error;
      if (message !== fault)
        log.error({ fault: message }, 'the new certificate cannot be used: the old one stays');
      fault = message;
    }
  };
  /** A disk of the network may take longer than the pause, and no second look begins meanwhile. */
  let looking: Promise<void> | undefined;
  const look = () => {
    looking ??= lookOnce().finally(() => {
      looking = undefined;
    });
    return looking;
  };
  const timer = setInterval(look, lookMs);
  timer.unref();

  return {
    options: () => current.options,
    renew: (server) => void servers.add(server),
    look,
    problems() {
      const remedy = 'correct the files; they are read again by themselves';
      return [
        ...(fault === null
          ? []
          : [
              {
                problem: 'the new certificate of the service cannot be used, so the old one stays',
                remedy,
              },
            ]),
        ...problemOfDates(current),
      ];
    },
    close: () => clearInterval(timer),
  };
}

const isValid = ({ validFrom, validTo }: LoadedCertificate): boolean => {
  const now = Date.now();
  return validFrom.getTime() <= now && now <= validTo.getTime();
};

function requireValid(certificate: LoadedCertificate): void {
  if (isValid(certificate)) return;
  const { validFrom, validTo } = certificate;
  throw new Error(
    `QUARRY_TLS_CERTIFICATE: the certificate is valid from ${validFrom.toISOString()} to ${validTo.toISOString()}, and not now: renew it, and look at the clock of this machine`,
  );
}

function problemOfDates({ validFrom, validTo }: LoadedCertificate): ServiceProblem[] {
  const day = (date: Date) => date.toISOString().slice(0, 10);
  const now = Date.now();
  const [begin, end] = [validFrom.getTime(), validTo.getTime()];
  if (now < begin)
    return [
      {
        problem: `the certificate of the service begins on ${day(validFrom)}`,
        remedy: 'look at the clock of this machine, or take another certificate until then',
      },
    ];
  const leftMs = end - now;
  if (leftMs > Math.min(SOON_MS, (end - begin) / 3)) return [];
  return [
    {
      problem: `the certificate of the service ${leftMs > 0 ? 'ends' : 'has ended'} on ${day(validTo)}`,
      remedy: 'renew it; the new files are read by themselves',
    },
  ];
}

function readNow({ certificate, key }: TlsFiles): FoundFiles {
  const contentAt = (path: string): TlsFileContent => {
    try {
      return readFileSync(path, 'utf8');
    } catch (error) {
      return error as NodeJS.ErrnoException;
    }
  };
  return { certificate: contentAt(certificate), key: contentAt(key) };
}

async function read({ certificate, key }: TlsFiles): Promise<FoundFiles> {
  const contentAt = (path: string): Promise<TlsFileContent> =>
    readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => error);
  return { certificate: await contentAt(certificate), key: await contentAt(key) };
}

/** A file that cannot be read differs from every other content, and loading it says why it cannot be read. */
const contentOf = ({ certificate, key }: FoundFiles): string =>
  [certificate, key]
    .map((one) => (typeof one === 'string' ? one : `cannot be read: ${one.code}`))
    .join('\0');

function load(files: TlsFiles, found: FoundFiles): LoadedCertificate {
  const cert = textOf('QUARRY_TLS_CERTIFICATE', files.certificate, found.certificate);
  const key = textOf('QUARRY_TLS_KEY', files.key, found.key);
  const own = certificateIn(cert, files.certificate);
  if (!own.checkPrivateKey(keyIn(key, files.key)))
    throw new Error(
      `QUARRY_TLS_KEY: the key in ${files.key} does not belong to the first certificate in ${files.certificate}: name the files of one certificate, whose own part comes first`,
    );
  const options: SecureContextOptions = { cert, key, minVersion: MIN_VERSION };
  try {
    createSecureContext(options);
  } catch (error) {
    throw new Error(
      `QUARRY_TLS_CERTIFICATE: ${files.certificate} cannot be used (${(error as Error).message}): it holds the certificate and those between it and the root`,
      { cause: error },
    );
  }
  return {
    read: contentOf(found),
    options,
    validFrom: own.validFromDate,
    validTo: own.validToDate,
  };
}

function textOf(setting: string, path: string, content: TlsFileContent): string {
  if (typeof content === 'string') return content;
  throw new Error(
    `${setting}: ${path} cannot be read (${content.message}): name a file that this user may read`,
    { cause: content },
  );
}

function certificateIn(text: string, path: string): X509Certificate {
  try {
    return new X509Certificate(text);
  } catch (error) {
    throw new Error(
      `QUARRY_TLS_CERTIFICATE: ${path} has no certificate in PEM form: it begins with -----BEGIN CERTIFICATE-----`,
      { cause: error },
    );
  }
}

function keyIn(text: string, path: string): KeyObject {
  try {
    return createPrivateKey(text);
  } catch (error) {
    const why = /ENCRYPTED/.test(text)
      ? 'has a key with a passphrase: store it without one'
      : 'has no private key in PEM form: it begins with -----BEGIN PRIVATE KEY-----';
    throw new Error(`QUARRY_TLS_KEY: ${path} ${why}`, { cause: error });
  }
}
