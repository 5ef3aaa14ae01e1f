import { createContext, useContext } from 'react';
import { errorIn } from '../../agent-draft.ts';

/** What every field of a definition's form needs to know. */
interface FormState {
  errors: Readonly<Record<string, string>>;
  disabled: boolean;
  /** A field that holds no value as yet keeps the whole from being saved. */
  setValid: (field: string, isValid: boolean) => void;
}

export const DefinitionForm = createContext<FormState>({ errors: {}, disabled: true, setValid: () => undefined });

export function useDefinitionForm() {
  const { errors, disabled, setValid } = useContext(DefinitionForm);
  return { disabled, setValid, errorOf: (name: string) => errorIn(errors, name) };
}
