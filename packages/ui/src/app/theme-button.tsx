import { Monitor, Moon, Sun } from 'lucide-react';
import { useState } from 'react';
import { chooseTheme, currentTheme, type Theme } from '../lib/theme.ts';

const NEXT: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' };
const SHOWN = {
  system: { icon: Monitor, label: 'Theme: same as the system' },
  light: { icon: Sun, label: 'Theme: light' },
  dark: { icon: Moon, label: 'Theme: dark' },
};

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
        chooseTheme(NEXT[theme]);
        setTheme(NEXT[theme]);
      }}
    >
      <Icon size={16} aria-hidden="true" />
    </button>
  );
}
