/** Light, dark, or what the system says. The browser keeps the choice. */
const KEY = 'quarry.theme';
export const THEMES = ['system', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

const watchers = new Set<() => void>();

export function currentTheme(): Theme {
  const stored = localStorage.getItem(KEY);
  return THEMES.find((theme) => theme === stored) ?? 'system';
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
  applyTheme();
  for (const tell of watchers) tell();
}

/** Calls `tell` after each choice, until the returned function is called. */
export function watchTheme(tell: () => void): () => void {
  watchers.add(tell);
  return () => watchers.delete(tell);
}

export function applyTheme(): void {
  const theme = currentTheme();
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}
