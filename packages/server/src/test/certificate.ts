/**
 * Makes a self-signed certificate (RFC 5280) for a host name or an IPv4 address, valid for a day, with which a test's
 * server proves its identity.
 */
import { generateKeyPairSync, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';

const SEQUENCE = 0x30;
const SET = 0x31;
const ECDSA_WITH_SHA256 = '06082a8648ce3d040302';
const COMMON_NAME = '0603550403';
const SUBJECT_ALT_NAME = '0603551d11';
const BASIC_CONSTRAINTS = '0603551d13';
const DAY_MS = 86_400_000;

export function selfSigned(host: string): { certificate: string; key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = der(SEQUENCE, hex(ECDSA_WITH_SHA256));
  const name = der(
    SEQUENCE,
    der(SET, der(SEQUENCE, hex(COMMON_NAME), der(0x0c, Buffer.from(host)))),
  );
  const validity = der(SEQUENCE, time(Date.now() - DAY_MS), time(Date.now() + DAY_MS));
  const names = der(SEQUENCE, alternativeName(host));
  const isAuthority = der(SEQUENCE, der(0x01, hex('ff')));
  const extensions = der(
    SEQUENCE,
    der(SEQUENCE, hex(BASIC_CONSTRAINTS), der(0x04, isAuthority)),
    der(SEQUENCE, hex(SUBJECT_ALT_NAME), der(0x04, names)),
  );
  const body = der(
    SEQUENCE,
    der(0xa0, der(0x02, hex('02'))),
    der(0x02, hex('01')),
    algorithm,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  const signature = Buffer.concat([hex('00'), sign('sha256', body, privateKey)]);
  return {
    certificate: pem('CERTIFICATE', der(SEQUENCE, body, algorithm, der(0x03, signature))),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

const alternativeName = (host: string) =>
  isIPv4(host) ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host));

const hex = (text: string) => Buffer.from(text, 'hex');

/** Encodes tag, length and content: https://www.itu.int/rec/T-REC-X.690 */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size =
    length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const time = (ms: number) =>
  der(0x18, Buffer.from(`${new Date(ms).toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`));

const pem = (label: string, bytes: Buffer) =>
  `-----BEGIN ${label}-----\n${bytes.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END ${label}-----\n`;
