import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { toast } from '../../components/Toasts.tsx';
import { changesBetween, type Draft, draftOf } from '../../definition-drafts.ts';
import { type Defined, type DefinedKind, definitionsApi } from '../../definitions-api.ts';
import { newKey } from '../../http.ts';

/** A draft beside what it was before, with what keeps it from being saved. */
export function useDefinitionDraft<K extends DefinedKind>(initial: Draft<K>) {
  const [base, setBase] = useState(initial);
  const [draft, setDraft] = useState(initial);
  const [invalid, setInvalid] = useState<readonly string[]>([]);
  return {
    base,
    draft,
    isChanged: Object.keys(changesBetween(base, draft)).length > 0 || invalid.length > 0,
    isValid: invalid.length === 0,
    change: (part: Partial<Draft<K>>): void => setDraft((before) => ({ ...before, ...part })),
    setValid: (field: string, isValid: boolean): void =>
      setInvalid((before) => {
        if (before.includes(field) !== isValid) return before;
        return isValid ? before.filter((each) => each !== field) : [...before, field];
      }),
    restart: (from: Draft<K>): void => {
      setBase(from);
      setDraft(from);
      setInvalid([]);
    },
  };
}
export type Drafting<K extends DefinedKind> = ReturnType<typeof useDefinitionDraft<K>>;

/** Saves what was changed, unless somebody else has saved meanwhile. */
export function useSaveDefinition<K extends DefinedKind>(kind: K, definition: Defined[K], drafting: Drafting<K>) {
  const client = useQueryClient();
  const [version, setVersion] = useState(definition.version);
  const { base, draft, isChanged, restart } = drafting;
  const take = (saved: Defined[K]): void => {
    setVersion(saved.version);
    restart(draftOf<K>(saved));
    client.setQueryData(['definition', saved.id], saved);
  };
  // Read again in the background: who has changed nothing here sees it at once, everybody else when they save.
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is read again counts, not what is typed meanwhile
  useEffect(() => {
    if (definition.version > version && !isChanged) take(definition);
  }, [definition]);
  const save = useMutation({
    mutationFn: (mode: 'checked' | 'over') =>
      definitionsApi.change(kind, definition.id, changesBetween(base, draft), mode === 'checked' ? version : undefined),
    onSuccess: (saved) => {
      take(saved);
      toast(`Saved as version ${saved.version}`);
      void client.invalidateQueries({ queryKey: ['definitions', kind] });
    },
  });
  const reload = useMutation({
    mutationFn: () => definitionsApi.get(kind, definition.id),
    onSuccess: (theirs) => {
      save.reset();
      take(theirs);
    },
  });
  return { version, save, reload };
}

/** Makes one; sent twice it is still one. */
export function useCreateDefinition<K extends DefinedKind>(
  kind: K,
  workspaceId: string,
  { draft }: Drafting<K>,
  onMade: (made: Defined[K]) => void,
) {
  const client = useQueryClient();
  const [key, setKey] = useState(newKey);
  return useMutation({
    mutationFn: () => definitionsApi.create(kind, workspaceId, draft, key),
    onSuccess: (made) => {
      client.setQueryData(['definition', made.id], made);
      void client.invalidateQueries({ queryKey: ['definitions', kind] });
      onMade(made);
    },
    // What was refused is changed and sent anew, which is another request.
    onError: () => setKey(newKey()),
  });
}
