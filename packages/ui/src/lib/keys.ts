/** Knows what single keys and pairs of keys do. */

/** After g, one of these keys leads to a page. */
export const PAGE_KEYS: Readonly<Record<string, { readonly to: string; readonly label: string }>> =
  {
    s: { to: '/search', label: 'Search' },
    c: { to: '/collections', label: 'Collections' },
    j: { to: '/jobs', label: 'Jobs' },
    a: { to: '/assistants', label: 'Assistants' },
    t: { to: '/transformers', label: 'Transformers' },
    w: { to: '/webhooks', label: 'Webhooks' },
    k: { to: '/keys', label: 'API keys' },
    m: { to: '/members', label: 'Members' },
  };

export type KeyAct =
  | { readonly kind: 'palette' | 'help' | 'next' | 'previous' }
  /** Presses the button of the row, or of the page, that names this key. */
  | { readonly kind: 'press'; readonly key: string }
  | { readonly kind: 'page'; readonly to: string }
  | { readonly kind: 'result'; readonly number: number };

export interface Pressed {
  readonly key: string;
  readonly isCommand: boolean;
  /** Somebody writes into a field, or has a dialog open: then only the command keys count. */
  readonly isBusy: boolean;
  readonly at: number;
}

/** Buttons, links and inputs name one of these keys in `aria-keyshortcuts`. */
export const BUTTON_KEYS: Readonly<Record<string, string>> = {
  '/': 'Write into the search box (search page)',
  e: 'Why a result stands where it stands',
  r: 'Sync the connection of the row, or of the page',
  c: 'Connect a source (page of a collection)',
  '.': 'More that one can do with the row',
};

const PAIR_MS = 1500;
const SIMPLE: Readonly<Record<string, KeyAct>> = {
  '?': { kind: 'help' },
  j: { kind: 'next' },
  k: { kind: 'previous' },
};

/** Returns a function that reads one key after the other, and says what each does; null for nothing. */
export function keyReader(areSingleKeysOn: () => boolean): (pressed: Pressed) => KeyAct | null {
  let begunAt = Number.NEGATIVE_INFINITY;
  return ({ key, isCommand, isBusy, at }) => {
    if (isCommand) return key.toLowerCase() === 'k' ? { kind: 'palette' } : null;
    if (isBusy || !areSingleKeysOn()) return null;
    const isSecond = at - begunAt < PAIR_MS;
    begunAt = key === 'g' && !isSecond ? at : Number.NEGATIVE_INFINITY;
    if (isSecond) {
      const page = PAGE_KEYS[key];
      return page ? { kind: 'page', to: page.to } : null;
    }
    return SIMPLE[key] ?? actOn(key);
  };
}

function actOn(key: string): KeyAct | null {
  if (/^[1-9]$/.test(key)) return { kind: 'result', number: Number(key) };
  return key in BUTTON_KEYS ? { kind: 'press', key } : null;
}

const KEPT = 'quarry.single-keys';
export const areSingleKeysOn = (): boolean => localStorage.getItem(KEPT) !== 'off';
export function switchSingleKeys(isOn: boolean): void {
  if (isOn) localStorage.removeItem(KEPT);
  else localStorage.setItem(KEPT, 'off');
}
