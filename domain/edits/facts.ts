import type { Person } from '../facts.ts';
import type { RunError } from '../failures.ts';
import type { Change, ChangeStatus } from './change-log.ts';
import type { AppliedFile, ConflictFile } from './wire.ts';

interface OfReview {
  turn: number;
  call_id: string;
  review_id: string;
}

/** A file of a proposal as the log knows it; its text lies beside the log, under the review. */
export interface ProposedFile {
  file_path: string;
  is_new: boolean;
  hunk_ids: string[];
  /** Which edits each of them is made of: what the model knows them by. */
  edit_ids?: Record<string, string[]>;
  /** Those that are too large and have nowhere to be cut. */
  oversized?: string[];
}

/** What a person did in a review. Each names what became of which change, so that nobody has to work it out again. */
export type ReviewStep =
  | { do: 'decide'; statuses: Record<string, ChangeStatus> }
  /** A manual edit, with the changes it came to. */
  | { do: 'edit'; added: Change[] }
  | { do: 'undo' | 'redo'; statuses: Record<string, ChangeStatus> }
  | {
      do: 'split';
      hunk_id: string;
      at: { new_lines: number; old_lines?: number };
      parts: string[];
      /** Those of the parts that are still too large. */
      oversized?: string[];
    }
  | { do: 'comment' };

/** A proposal that was made for other lines than there are; its files name no hunks. */
export interface RefusedProposal {
  proposal: number;
  edits: number;
  files: ProposedFile[];
  stored: string;
}

/** What the log of a run tells of proposals, their review and what came of them. */
export type EditFact =
  | (OfReview & {
      kind: 'edits_proposed';
      /** Which proposal of the run it is, from 1. */
      proposal: number;
      edits: number;
      files: ProposedFile[];
      /** Under which its files are kept; an attempt that came to nothing leaves others behind. */
      stored: string;
    })
  | (OfReview & {
      kind: 'review_updated';
      file_path: string;
      step: ReviewStep;
      /** On one hunk, or on the whole file where none is named. */
      comment?: { hunk_id: string | null; text: string };
      by: Person;
    })
  | (OfReview & {
      kind: 'apply_requested';
      apply_id: string;
      /** Of the agent's hunks: all others are rejected. */
      accepted: string[];
      by: Person;
    })
  | (OfReview & { kind: 'checkpoint_created'; checkpoint_id: string; files: string[] })
  | (OfReview & {
      kind: 'conflict_detected';
      files: ConflictFile[];
      /** Where it was met by the proposal itself: people are shown no hunks of it, and can but have it made anew. */
      refused?: RefusedProposal;
    })
  | (OfReview & { kind: 'apply_failed'; error: RunError })
  | (OfReview & { kind: 'edits_applied'; apply_id: string; checkpoint_id: string | null; files: AppliedFile[] })
  | (OfReview & { kind: 'rerun_requested'; comment: string | null; by: Person });

export type EditFactOf<K extends EditFact['kind']> = Extract<EditFact, { kind: K }>;
