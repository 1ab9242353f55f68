import { Check, Monitor, Moon, Sun } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { chooseTheme, currentTheme, THEMES, watchTheme } from '../lib/theme.ts';
import { MenuButton } from '../ui/menu.tsx';

const SHOWN = {
  system: { icon: Monitor, label: 'Same as the system' },
  light: { icon: Sun, label: 'Light' },
  dark: { icon: Moon, label: 'Dark' },
};

/** Chooses how the dashboard looks. */
export function ThemeButton() {
  const chosen = useSyncExternalStore(watchTheme, currentTheme);
  const { icon, label } = SHOWN[chosen];
  return (
    <MenuButton label={`Theme: ${label.toLowerCase()}`} icon={icon}>
      {THEMES.map((theme) => {
        const { icon: Icon, label } = SHOWN[theme];
        return (
          <button
            key={theme}
            type="button"
            aria-pressed={theme === chosen}
            onClick={() => chooseTheme(theme)}
          >
            <Icon size={15} aria-hidden="true" /> {label}
            {theme === chosen && <Check size={15} aria-hidden="true" className="end" />}
          </button>
        );
      })}
    </MenuButton>
  );
}
