import { stored } from '../stored.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const isTheme = (value: string | null): value is Theme => THEMES.some((theme) => theme === value);

/** `system` keeps nothing, so that theme-first.js leaves the choice to the browser. */
const choice = stored('longhaul.theme');

function show(value: string | null): void {
  if (value === 'light' || value === 'dark') document.documentElement.dataset.theme = value;
  else delete document.documentElement.dataset.theme;
}

choice.subscribe(() => show(choice.get()));

export function useTheme(): [Theme, (theme: Theme) => void] {
  const value = choice.use();
  return [isTheme(value) ? value : 'system', (theme) => choice.set(theme === 'system' ? null : theme)];
}
