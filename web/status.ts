import type { EndStatus, RunStatus } from '../domain/run.ts';

/** Four colours and the neutral scale; every status has its own word. */
export type Tone = 'running' | 'waits' | 'done' | 'failed' | 'quiet';

interface Look {
  word: string;
  tone: Tone;
  ended: boolean;
}

const LOOKS: Record<RunStatus, Look> = {
  queued: { word: 'Queued', tone: 'running', ended: false },
  running: { word: 'Running', tone: 'running', ended: false },
  paused: { word: 'Paused', tone: 'quiet', ended: false },
  waiting_for_user: { word: 'Waits for answer', tone: 'waits', ended: false },
  awaiting_confirmation: { word: 'Waits for approval', tone: 'waits', ended: false },
  awaiting_review: { word: 'Waits for review', tone: 'waits', ended: false },
  completed: { word: 'Completed', tone: 'done', ended: true },
  failed: { word: 'Failed', tone: 'failed', ended: true },
  cancelled: { word: 'Cancelled', tone: 'quiet', ended: true },
  budget_exceeded: { word: 'Budget exceeded', tone: 'failed', ended: true },
};

const STATUSES = Object.keys(LOOKS).filter((name): name is RunStatus => name in LOOKS);
const isStatus = (name: string): name is RunStatus => name in LOOKS;
export const isEndStatus = (name: string): name is EndStatus => isStatus(name) && LOOKS[name].ended;

/** `failed,cancelled` as in an address; names that are none are left out. */
export const statusesIn = (text: string | null): RunStatus[] => (text ?? '').split(',').filter(isStatus);
export const lookOf = (status: RunStatus): Look => LOOKS[status];

export const TONE_INK: Record<Tone, string> = {
  running: 'text-running',
  waits: 'text-waits',
  done: 'text-done',
  failed: 'text-failed',
  quiet: 'text-soft',
};

export const TONE_WASH: Record<Tone, string> = {
  running: 'bg-running-wash',
  waits: 'bg-waits-wash',
  done: 'bg-done-wash',
  failed: 'bg-failed-wash',
  quiet: 'bg-hover',
};

const TRIGGERS: Record<string, string> = {
  chat: 'Chat',
  event: 'Webhook',
  schedule: 'Schedule',
  sdk: 'API',
  delegation: 'Delegation',
  workflow: 'Workflow',
};
export const triggerWord = (trigger: string): string => TRIGGERS[trigger] ?? trigger;
export const TRIGGER_NAMES = Object.keys(TRIGGERS);

/** What one looks for in a list: the three questions first, then every single status. */
export const STATUS_FILTERS: { name: string; statuses: RunStatus[] }[] = [
  { name: 'Needs you', statuses: ['waiting_for_user', 'awaiting_confirmation', 'awaiting_review'] },
  { name: 'In progress', statuses: ['queued', 'running', 'paused'] },
  { name: 'Went wrong', statuses: ['failed', 'budget_exceeded'] },
  ...STATUSES.map((status) => ({ name: LOOKS[status].word, statuses: [status] })),
];
