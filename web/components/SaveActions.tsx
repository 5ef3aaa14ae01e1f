import type { ReactNode } from 'react';
import { modName } from '../shortcuts.ts';
import { Button } from './Button.tsx';

interface Props {
  isChanged: boolean;
  /** There is nothing to save for who may only look. */
  mayChange: boolean;
  isValid?: boolean;
  busy: boolean;
  onDiscard: () => void;
  onSave: () => void;
  /** What else can be done with it. */
  children: ReactNode;
}

/** At the top of what is changed in a form: whether it is saved, and both ways on. */
export function SaveActions({ isChanged, mayChange, isValid = true, busy, onDiscard, onSave, children }: Props) {
  return (
    <div className="flex items-center gap-2">
      <span role="status" className="text-small text-soft max-md:sr-only">
        {isChanged ? 'Not saved yet' : ''}
      </span>
      {isChanged && (
        <Button kind="quiet" onClick={onDiscard}>
          Discard
        </Button>
      )}
      {children}
      {mayChange && (
        <Button kind="primary" title={`${modName()} S`} busy={busy} disabled={!isChanged || !isValid} onClick={onSave}>
          Save
        </Button>
      )}
    </div>
  );
}
