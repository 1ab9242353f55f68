/**
 * Signs in with MariaDB's plugin ed25519
 * (https://mariadb.com/docs/server/reference/plugins/authentication-plugins/authentication-plugin-ed25519).
 *
 * The client signs the scramble of the server by Ed25519 (RFC 8032, section 5.1.6), with the password of any length in
 * place of the seed. Node's own Ed25519 takes seeds of 32 bytes only.
 */
import { createHash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import type { AuthPlugin } from 'mysql2';

const { Point } = ed25519;

export const client_ed25519: AuthPlugin =
  ({ connection }) =>
  (scramble) =>
    sign(connection.config.password ?? '', scramble.subarray(0, 32));

function sign(password: string, scramble: Uint8Array): Buffer {
  const expanded = sha512(Buffer.from(password, 'utf8'));
  const clamped = Buffer.from(expanded.subarray(0, 32));
  clamped[0] = (clamped[0] ?? 0) & 248;
  clamped[31] = ((clamped[31] ?? 0) & 63) | 64;
  const secret = scalar(clamped);
  const publicKey = Point.BASE.multiply(secret).toBytes();
  const nonce = scalar(sha512(expanded.subarray(32), scramble));
  const commitment = Point.BASE.multiply(nonce).toBytes();
  const challenge = scalar(sha512(commitment, publicKey, scramble));
  const response = Point.Fn.toBytes(Point.Fn.create(nonce + challenge * secret));
  return Buffer.concat([commitment, response]);
}

function sha512(...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha512');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** Reads a number with its lowest byte first, modulo the order of the group. */
const scalar = (bytes: Uint8Array): bigint =>
  Point.Fn.create(BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`));
