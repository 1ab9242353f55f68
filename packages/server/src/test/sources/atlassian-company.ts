/** Settings with which the companies in the fakes of Atlassian's products are opened. */
import { ATLASSIAN_API_TOKEN, ATLASSIAN_EMAIL } from './atlassian-gate.ts';
import type { CompanyOptions } from './company-words.ts';

export interface AtlassianCompanyOptions<Row> extends Omit<CompanyOptions<Row>, 'config'> {
  /** A function gets the address of the fake. */
  readonly config?: object | ((baseUrl: string) => object);
}

export const configAt = (
  config: object | ((baseUrl: string) => object),
  { baseUrl }: { readonly baseUrl: string },
): object => (typeof config === 'function' ? config(baseUrl) : config);

export const ATLASSIAN_CREDENTIALS = { email: ATLASSIAN_EMAIL, api_token: ATLASSIAN_API_TOKEN };

/** Ids of different kinds of records are the same numbers. */
export const usualAtlassianId = ({ kind, id }: { readonly kind: string; readonly id: string }) =>
  `${kind}/${id}`;
