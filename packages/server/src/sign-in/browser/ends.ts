/**
 * A sign-in ends at the address of the caller or with a page. This file has the failures that end it, and their texts.
 */
import { SourceError, withHint } from '../../errors.ts';
import { storableText } from '../../model/storable.ts';
import { beginningOf } from '../../util.ts';
import { type SignInOutcome, withOutcome } from './redirect.ts';
import type { BrowserSignInRow } from './store.ts';

const MAX_WORDS = 300;

interface SignInCookie {
  readonly name: string;
  readonly value: string;
}

/** The browser goes to the caller's address. If the caller gave no address, the browser shows the page. */
export type SignInEnd =
  | { readonly redirect: string; readonly cookie?: SignInCookie }
  | { readonly status: number; readonly title: string; readonly text: string };

export interface CallbackQuery {
  readonly state?: string | undefined;
  readonly code?: string | undefined;
  readonly error?: string | undefined;
  readonly error_description?: string | undefined;
}

/** This failure ends a sign-in. Code and message are sent to the caller's address. */
export class SignInFailure extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Turns an error of a source into a failure of the sign-in. */
export const failAs =
  (code: string) =>
  (error: unknown): never => {
    if (!(error instanceof SourceError)) throw error;
    throw new SignInFailure(code, withHint(error));
  };

export const usedLink = ({ opened_at }: BrowserSignInRow) =>
  opened_at === null
    ? new SignInFailure('link_expired', 'the link has expired: ask for a new one')
    : new SignInFailure('link_used', 'the link was opened before: ask for a new one');

export const usedState = ({ used_at }: BrowserSignInRow) =>
  used_at === null
    ? new SignInFailure('sign_in_expired', 'the sign-in took too long: ask for a new link')
    : new SignInFailure('already_used', 'this sign-in has ended already: ask for a new link');

export const otherBrowser = () =>
  new SignInFailure(
    'other_browser',
    'the link was opened in another browser, or cookies are blocked: ask for a new link',
  );

/** The provider's own code is passed on if it has the form of one (RFC 6749, 4.1.2.1). */
export function refusedByProvider({ error = '', error_description }: CallbackQuery): SignInFailure {
  const code = /^[a-z][a-z0-9_.-]{0,63}$/i.test(error) ? error : 'provider_error';
  const words = storableText(error_description ?? '');
  return new SignInFailure(
    code,
    words === '' ? 'the provider did not grant access' : beginningOf(words, MAX_WORDS),
  );
}

export function endOf({ redirect_uri }: BrowserSignInRow, outcome: SignInOutcome): SignInEnd {
  if (redirect_uri !== null) return { redirect: withOutcome(redirect_uri, outcome) };
  return outcome.status === 'success'
    ? { status: 200, title: 'Signed in', text: 'The source is connected. You can close this page.' }
    : {
        status: 400,
        title: 'Not signed in',
        text: `${outcome.error_description}. Nothing has changed. You can close this page.`,
      };
}

export const UNKNOWN_LINK = {
  status: 404,
  title: 'This link does not exist',
  text: 'It was replaced by a newer one, or its connection was deleted. Ask for a new link.',
};
export const UNKNOWN_STATE = {
  status: 404,
  title: 'This sign-in does not exist',
  text: 'It was replaced by a newer one, or its connection was deleted. Ask for a new link.',
};
export const NO_STATE = {
  status: 400,
  title: 'Nothing to do here',
  text: 'The provider sends browsers to this address at the end of a sign-in. Begin with a link.',
};
