/** The parts of the connector need no more of `ctx` than this. */
import type { Http } from '../kit/http.ts';
import type { Region } from './regions.ts';

export interface IntercomContext {
  readonly http: Http;
  readonly config: { readonly region: Region; readonly exclude_closed_conversations: boolean };
}
