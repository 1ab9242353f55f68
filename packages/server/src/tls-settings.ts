/** The settings of TLS name the files with the certificate of the service. Without them the API speaks plain HTTP. */
import { resolve } from 'node:path';
import { z } from 'zod';

const path = () =>
  z
    .string()
    // An empty environment variable counts as not set.
    .transform((value) => (value.trim() === '' ? undefined : resolve(value)))
    .optional();

export const TLS_SETTINGS = {
  QUARRY_TLS_CERTIFICATE: path().describe(
    'File with the certificate of the service and those between it and the root, in PEM form. With it the API speaks HTTPS only. The file is read again when it changes.',
  ),
  QUARRY_TLS_KEY: path().describe(
    'File with the private key of the certificate, in PEM form and without a passphrase.',
  ),
};

const TlsValues = z.object(TLS_SETTINGS);

export interface TlsFiles {
  readonly certificate: string;
  readonly key: string;
}

/** Returns null for plain HTTP. Throws an Error with a message for the operator when one of the two settings is missing. */
export function tlsOf(values: z.infer<typeof TlsValues>): TlsFiles | null {
  const { QUARRY_TLS_CERTIFICATE: certificate, QUARRY_TLS_KEY: key } = values;
  if (certificate !== undefined && key !== undefined) return { certificate, key };
  if (certificate !== undefined)
    throw new Error(
      'QUARRY_TLS_CERTIFICATE needs QUARRY_TLS_KEY: the file with the private key of the certificate',
    );
  if (key !== undefined)
    throw new Error('QUARRY_TLS_KEY needs QUARRY_TLS_CERTIFICATE: the file with the certificate');
  return null;
}
