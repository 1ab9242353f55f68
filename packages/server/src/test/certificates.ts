/** Makes real certificates by openssl, in the temporary folder of a test. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface TestAuthority {
  /** The certificate of the authority, which clients trust. */
  readonly ca: string;
  readonly caFile: string;
  /** Makes `<name>.pem` and `<name>.key` for localhost, and returns their paths. */
  issue(name: string, days?: number): { readonly certificate: string; readonly key: string };
}

const openssl = (folder: string, ...args: string[]): void =>
  void execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

export function makeAuthority(folder: string): TestAuthority {
  const caFile = join(folder, 'ca.pem');
  openssl(
    folder,
    ...['req', '-x509', ...NEW_KEY, '-keyout', 'ca.key', '-out', 'ca.pem'],
    ...['-days', '30', '-subj', '/CN=An authority of tests'],
  );
  return {
    ca: readFileSync(caFile, 'utf8'),
    caFile,
    issue(name, days = 30) {
      const [certificate, key] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)];
      const extensions = join(folder, 'names.txt');
      writeFileSync(extensions, 'subjectAltName=DNS:localhost,IP:127.0.0.1\n');
      openssl(
        folder,
        ...[
          'req',
          '-new',
          ...NEW_KEY,
          '-keyout',
          key,
          '-out',
          'request.pem',
          '-subj',
          `/CN=${name}`,
        ],
      );
      openssl(
        folder,
        ...['x509', '-req', '-in', 'request.pem', '-CA', 'ca.pem', '-CAkey', 'ca.key'],
        ...['-CAcreateserial', '-days', String(days), '-extfile', extensions, '-out', certificate],
      );
      return { certificate, key };
    },
  };
}

/** Puts a copy of the file in the place of another one at once, as certbot and Kubernetes do. */
export function replaceFile(path: string, by: string): void {
  copyFileSync(by, `${path}.new`);
  renameSync(`${path}.new`, path);
}
