import type { Family, Job, Move } from '../job.ts';

export interface Skill {
  /** Shown to people who ask what the demo model can do. */
  example: string;
  /** The tools it cannot do without. */
  needs: readonly Family[];
  /** Recognises an instruction; of several skills the one whose words come first is taken. */
  words: RegExp;
  /** The next move, from the instruction and what has been done for it. */
  next(instruction: string, job: Job): Move;
}
