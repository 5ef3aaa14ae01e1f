import { useMemo } from 'react';
import { useNavigate } from 'react-router';
import { Button } from '../../components/Button.tsx';
import { Page } from '../../components/Page.tsx';
import { toast } from '../../components/Toasts.tsx';
import { BLANKS } from '../../definition-drafts.ts';
import { type DefinedKind, PLACES, pageOf } from '../../definitions-api.ts';
import { useWorkspace } from '../../queries.ts';
import { useShortcuts } from '../../shortcuts.ts';
import { useUnsaved } from '../../unsaved.ts';
import { Refusal } from '../agents/FormNotes.tsx';
import { Leaving } from '../agents/Leaving.tsx';
import { errorsOf } from '../agents/saving.ts';
import { DefinitionFields } from './DefinitionFields.tsx';
import { KIND_WORDS } from './kinds.ts';
import { useCreateDefinition, useDefinitionDraft } from './saving.ts';

export function NewDefinition<K extends DefinedKind>({ kind }: { kind: K }) {
  const navigate = useNavigate();
  const workspace = useWorkspace();
  const drafting = useDefinitionDraft<K>(BLANKS[kind]);
  const unsaved = useUnsaved(drafting.isChanged);
  const create = useCreateDefinition(kind, workspace?.id ?? '', drafting, ({ id, name }) => {
    unsaved.letGo();
    toast(`Made ${name}`);
    navigate(pageOf(kind, id));
  });
  const errors = useMemo(() => errorsOf(create.error), [create.error]);
  const submit = (): void => {
    if (workspace && drafting.isValid && !create.isPending) create.mutate();
  };
  useShortcuts({ 'mod+s': submit });
  return (
    <Page
      title={KIND_WORDS[kind].make}
      crumbs={[{ to: PLACES[kind].page, name: KIND_WORDS[kind].title }]}
      action={
        <Button kind="primary" busy={create.isPending} disabled={!drafting.isValid} onClick={submit}>
          Create
        </Button>
      }
    >
      <Leaving unsaved={unsaved} />
      <DefinitionFields
        kind={kind}
        id={null}
        drafting={drafting}
        errors={errors}
        disabled={false}
        onSubmit={submit}
        notes={create.error && <Refusal title="It was not made" error={create.error} fields={errors} />}
      />
    </Page>
  );
}
