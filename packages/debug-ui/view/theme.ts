/** Light or dark theme: that of the system, unless one was selected. */

import { useEffect, useState } from 'preact/hooks';
import { recall, remember } from './browser.ts';

type Theme = 'system' | 'light' | 'dark';

const THEMES: readonly Theme[] = ['system', 'light', 'dark'];
const dark = window.matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

let chosen: Theme = THEMES.find((theme) => theme === recall('theme')) ?? 'system';

export function showTheme(): void {
  const isDark = chosen === 'dark' || (chosen === 'system' && dark.matches);
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light';
  for (const listener of listeners) listener();
}

dark.addEventListener('change', showTheme);

export function nextTheme(): void {
  chosen = THEMES[(THEMES.indexOf(chosen) + 1) % THEMES.length]!;
  remember('theme', chosen);
  showTheme();
}

/** Renders again when the theme changes; `shown` is the visible one. */
export function useTheme(): { readonly chosen: Theme; readonly shown: string } {
  const [, setRound] = useState(0);
  useEffect(() => {
    const listener = (): void => setRound((round) => round + 1);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return { chosen, shown: document.documentElement.dataset['theme'] ?? 'light' };
}

/** Returns a colour of the style sheet, for drawing on a canvas. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
