import { useQuery, useQueryClient } from '@tanstack/react-query';
import { CircleAlert, SearchX } from 'lucide-react';
import { useMemo } from 'react';
import { useParams } from 'react-router';
import { Copyable } from '../../components/Copyable.tsx';
import { Opening } from '../../components/Opening.tsx';
import { Page } from '../../components/Page.tsx';
import { SaveActions } from '../../components/SaveActions.tsx';
import { toast } from '../../components/Toasts.tsx';
import { draftOf, whyFixed } from '../../definition-drafts.ts';
import { type Defined, type DefinedKind, definitionsApi, PLACES } from '../../definitions-api.ts';
import { shortId } from '../../format.ts';
import { ApiError } from '../../http.ts';
import { useMe, useWorkspace } from '../../queries.ts';
import { useShortcuts } from '../../shortcuts.ts';
import { useUnsaved } from '../../unsaved.ts';
import { Conflict, Note, Refusal } from '../agents/FormNotes.tsx';
import { Leaving } from '../agents/Leaving.tsx';
import { errorsOf, isConflict } from '../agents/saving.ts';
import { DefinitionFields } from './DefinitionFields.tsx';
import { DefinitionMenu } from './DefinitionMenu.tsx';
import { KIND_WORDS } from './kinds.ts';
import { NewDefinition } from './NewDefinition.tsx';
import { useDefinitionDraft, useSaveDefinition } from './saving.ts';
import { Uses } from './Uses.tsx';
import { Versions } from './Versions.tsx';

/** One tool, evaluator or integration, to look at and to change; or a new one. */
export default function DefinitionPage({ kind }: { kind: DefinedKind }) {
  const { id = '' } = useParams();
  return id === 'new' ? <NewDefinition key={kind} kind={kind} /> : <Known key={id} kind={kind} id={id} />;
}

function Known<K extends DefinedKind>({ kind, id }: { kind: K; id: string }) {
  const found = useQuery({ queryKey: ['definition', id], queryFn: () => definitionsApi.get(kind, id) });
  const { page, noun, nouns } = PLACES[kind];
  if (found.data) return <Loaded kind={kind} definition={found.data} />;
  return (
    <Opening
      noun={noun}
      icon={SearchX}
      all={{ to: page, title: KIND_WORDS[kind].title, nouns }}
      why="It may have been deleted, or it lies in a workspace you are not a member of."
      error={found.error}
    />
  );
}

const isUse = (error: Error | null): boolean =>
  error instanceof ApiError && (error.code === 'in_use' || error.code === 'has_schedules');

function Loaded<K extends DefinedKind>({ kind, definition }: { kind: K; definition: Defined[K] }) {
  const client = useQueryClient();
  const role = useWorkspace()?.role;
  const { data: me } = useMe();
  const drafting = useDefinitionDraft<K>(draftOf<K>(definition));
  const { version, save, reload } = useSaveDefinition(kind, definition, drafting);
  const errors = useMemo(() => errorsOf(save.error), [save.error]);
  const fixed = whyFixed(kind, definition, role, me?.user.id);
  const { isChanged, isValid } = drafting;
  const unsaved = useUnsaved(isChanged);
  const submit = (): void => {
    if (fixed === null && isChanged && isValid && !save.isPending) save.mutate('checked');
  };
  const discard = (): void => {
    const { draft, base } = drafting;
    drafting.restart(base);
    save.reset();
    toast('Changes discarded', 'done', { name: 'Undo', run: () => drafting.change(draft) });
  };
  useShortcuts({ 'mod+s': submit });
  return (
    <Page
      title={definition.name}
      crumbs={[{ to: PLACES[kind].page, name: KIND_WORDS[kind].title }]}
      aside={
        <span className="flex shrink-0 items-center gap-2 text-faint">
          v{version} <Copyable text={definition.id} label={`${PLACES[kind].noun} id`} shown={shortId(definition.id)} />
        </span>
      }
      action={
        <SaveActions
          isChanged={isChanged}
          mayChange={fixed === null}
          isValid={isValid}
          busy={save.isPending}
          onDiscard={discard}
          onSave={submit}
        >
          {fixed === null && <DefinitionMenu kind={kind} definition={definition} isOpened />}
        </SaveActions>
      }
    >
      <Leaving unsaved={unsaved} />
      <DefinitionFields
        kind={kind}
        id={definition.id}
        drafting={drafting}
        errors={errors}
        disabled={fixed !== null}
        onSubmit={submit}
        notes={
          <>
            {fixed && (
              <Note icon={CircleAlert} title="You can look at it, not change it">
                {fixed}
              </Note>
            )}
            {isConflict(save.error) ? (
              <Conflict
                what={PLACES[kind].noun}
                busy={save.isPending || reload.isPending}
                onReload={() => reload.mutate()}
                onOverwrite={() => save.mutate('over')}
              />
            ) : (
              save.error &&
              !isUse(save.error) && <Refusal title="It was not saved" error={save.error} fields={errors} />
            )}
            <Uses title="It was not saved" error={isUse(save.error) ? save.error : null} onClose={save.reset} />
          </>
        }
        after={
          <section aria-labelledby="history" className="flex flex-col gap-3 border-t border-line py-6">
            <h2 id="history" className="font-semibold">
              History
            </h2>
            <Versions
              id={definition.id}
              version={version}
              mayChange={fixed === null}
              isDirty={isChanged}
              onChanged={() => void client.invalidateQueries({ queryKey: ['definition', definition.id] })}
            />
          </section>
        }
      />
    </Page>
  );
}
