import { Monitor, Moon, Sun } from 'lucide-react';
import { useState } from 'react';
import { chooseTheme, currentTheme, type Theme } from '../lib/theme.ts';

const SHOWN = {
  system: { icon: Monitor, label: 'Theme: same as the system' },
  light: { icon: Sun, label: 'Theme: light' },
  dark: { icon: Moon, label: 'Theme: dark' },
};

/** Each press changes what is seen: from the look of the system to the other one, and back. */
function themeAfter(theme: Theme): Theme {
  const other = matchMedia('(prefers-color-scheme: dark)').matches ? 'light' : 'dark';
  return theme === other ? 'system' : other;
}

export function ThemeButton() {
  const [theme, setTheme] = useState(currentTheme);
  const { icon: Icon, label } = SHOWN[theme];
  return (
    <button
      type="button"
      className="btn ghost icon sm"
      aria-label={label}
      title={label}
      onClick={() => {
        const next = themeAfter(theme);
        chooseTheme(next);
        setTheme(next);
      }}
    >
      <Icon size={16} aria-hidden="true" />
    </button>
  );
}
