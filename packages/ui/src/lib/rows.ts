/** Moves the focus within the lists of a page. */

const ROWS = [
  '.results > li',
  '.connections > li',
  '.endpoints > li',
  '.foldable > li',
  'tbody > tr',
]
  .map((selector) => `main ${selector}`)
  .join(', ');

const focusIn = (row: Element | null | undefined): void => {
  const target = row?.querySelector<HTMLElement>('a, button');
  target?.scrollIntoView({ block: 'nearest' });
  target?.focus({ preventScroll: true });
};

/** Gives the focus to the row that is `by` rows after the present one, or to the first row. */
export function stepRows(by: 1 | -1): void {
  const rows = [...document.querySelectorAll(ROWS)].filter((row) => row.querySelector('a, button'));
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  focusIn(rows[at === -1 ? 0 : Math.min(Math.max(at + by, 0), rows.length - 1)]);
}

const SHOWN_MS = 2000;

/** Gives the focus to the passage of a citation, and marks it for a moment. */
export function goToResult(number: number): void {
  const result = document.getElementById(`result-${number}`);
  if (!result) return;
  result.scrollIntoView({ block: 'center' });
  result.querySelector<HTMLElement>('.result-title')?.focus({ preventScroll: true });
  result.dataset.cited = '';
  setTimeout(() => delete result.dataset.cited, SHOWN_MS);
}

/** Presses the button or link that names this key, of the row with the focus or else of the page. An input gets the cursor. */
export function pressByKey(key: string): void {
  const named = `[aria-keyshortcuts="${CSS.escape(key)}"]`;
  const inRow = document.activeElement?.closest(ROWS)?.querySelector<HTMLElement>(named);
  const ofPage = [...document.querySelectorAll<HTMLElement>(`main ${named}`)];
  const target = inRow ?? ofPage.find((one) => !one.closest(ROWS));
  if (target instanceof HTMLInputElement) target.focus();
  else target?.click();
}
