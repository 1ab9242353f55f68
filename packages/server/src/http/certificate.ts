/**
 * The certificate with which the API speaks TLS. It comes from files, which are looked at every few seconds, because watches
 * of the system miss the links by which Kubernetes and certbot replace files.
 *
 * The two files are replaced one after the other, so a change counts only when two looks have found the same contents. When
 * new files cannot be used, the service goes on with the old certificate, and says so. Open connections keep the certificate
 * with which they began.
 */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Server } from 'node:https';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import type { Logger } from 'pino';
import type { ServiceProblem } from '../model/service-problem.ts';
import type { TlsFiles } from '../tls-settings.ts';

const LOOK_MS = 5000;
/** A certificate should have been renewed by then. */
const SOON_MS = 7 * 86_400_000;
const MIN_VERSION = 'TLSv1.2';

interface LoadedCertificate {
  /** The texts of both files, by which a change is noticed. */
  readonly read: string;
  readonly options: SecureContextOptions;
  readonly validTo: Date;
}

/** A server that was made with a certificate. */
export type SecureServer = Pick<Server, 'setSecureContext'>;

export interface ServedCertificate {
  /** Returns what a server begins with. */
  options(): SecureContextOptions;
  /** The server takes each new certificate for its new connections. */
  renew(server: SecureServer): void;
  /** Returns what is wrong with the certificate or with the newest files. */
  problems(): readonly ServiceProblem[];
  close(): void;
}

/** Throws an Error with a message for the operator when the files cannot be used. */
export function openCertificate(
  files: TlsFiles,
  { log, lookMs = LOOK_MS }: { readonly log: Logger; readonly lookMs?: number },
): ServedCertificate {
  let current = load(files);
  const servers = new Set<SecureServer>();
  let fault: string | null = null;
  /** The last look has found this. */
  let seen = current.read;

  const look = () => {
    const found = contentOf(files);
    const isSettled = found === seen;
    seen = found;
    if (!isSettled) return;
    if (found === current.read) {
      fault = null;
      return;
    }
    try {
      current = load(files);
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
  const timer = setInterval(look, lookMs);
  timer.unref();

  return {
    options: () => current.options,
    renew: (server) => void servers.add(server),
    problems() {
      const remedy = 'correct the files; they are read again by themselves';
      const leftMs = current.validTo.getTime() - Date.now();
      const day = current.validTo.toISOString().slice(0, 10);
      return [
        ...(fault === null
          ? []
          : [
              {
                problem: 'the new certificate of the service cannot be used, so the old one stays',
                remedy,
              },
            ]),
        ...(leftMs > SOON_MS
          ? []
          : [
              {
                problem: `the certificate of the service ${leftMs > 0 ? 'ends' : 'has ended'} on ${day}`,
                remedy: 'renew it; the new files are read by themselves',
              },
            ]),
      ];
    },
    close: () => clearInterval(timer),
  };
}

/** A file that cannot be read differs from every other content, and loading it says why it cannot be read. */
function contentOf({ certificate, key }: TlsFiles): string {
  const contents = [certificate, key].map((path) => {
    try {
      return readFileSync(path, 'utf8');
    } catch (error) {
      return `cannot be read: ${(error as NodeJS.ErrnoException).code}`;
    }
  });
  return contents.join('\0');
}

function load(files: TlsFiles): LoadedCertificate {
  const cert = textOf('QUARRY_TLS_CERTIFICATE', files.certificate);
  const key = textOf('QUARRY_TLS_KEY', files.key);
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
  return { read: `${cert}\0${key}`, options, validTo: own.validToDate };
}

function textOf(setting: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(
      `${setting}: ${path} cannot be read (${(error as Error).message}): name a file that this user may read`,
      { cause: error },
    );
  }
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
