import { CAPABILITIES, type ProviderName } from '../domain/model.ts';
import type { RunStatus } from '../domain/run.ts';
import type { Format, Style } from './style.ts';

const STATUS: Record<RunStatus, { symbol: string; format: Format }> = {
  queued: { symbol: '○', format: 'dim' },
  running: { symbol: '●', format: 'blue' },
  paused: { symbol: '‖', format: 'dim' },
  waiting_for_user: { symbol: '?', format: 'yellow' },
  awaiting_confirmation: { symbol: '?', format: 'yellow' },
  awaiting_review: { symbol: '?', format: 'yellow' },
  completed: { symbol: '✓', format: 'green' },
  failed: { symbol: '✗', format: 'red' },
  cancelled: { symbol: '⊘', format: 'dim' },
  budget_exceeded: { symbol: '!', format: 'red' },
};

export const statusWord = (status: RunStatus, style: Style): string =>
  style(STATUS[status].format, `${STATUS[status].symbol} ${status}`);

export const figure = (value: number): string => value.toLocaleString('en-US');

export const counted = (count: number, noun: string): string => `${figure(count)} ${noun}${count === 1 ? '' : 's'}`;

/** Small sums to the hundredth of a cent, others to the cent. */
export const dollars = (value: number): string =>
  value === 0 ? '$0' : value < 0.1 ? `$${value.toFixed(4)}` : `$${value.toFixed(2)}`;

export function took(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;
}

export function ago(time: string, now: number): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(time)) / 1_000));
  if (seconds < 5) return 'just now';
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ago`;
  return seconds < 30 * 86_400 ? `${counted(Math.floor(seconds / 86_400), 'day')} ago` : time.slice(0, 10);
}

/** Whatever is not an LLM says so wherever its name shows. */
export function modelName(model: string): string {
  const provider = model.split(/[/:]/, 1)[0] ?? '';
  const known = (name: string): name is ProviderName => name in CAPABILITIES;
  return known(provider) && !CAPABILITIES[provider].is_llm ? `${model} (rule-based demo model, not an LLM)` : model;
}
