import { type ReactNode, useEffect, useRef } from 'react';
import { TextArea, TextField } from '../../components/Fields.tsx';
import type { Draft } from '../../definition-drafts.ts';
import type { DefinedKind } from '../../definitions-api.ts';
import { DefinitionForm } from './definition-form.ts';
import { EvaluatorFields } from './EvaluatorFields.tsx';
import { IntegrationFields } from './IntegrationFields.tsx';
import type { Drafting } from './saving.ts';
import { ToolFields } from './ToolFields.tsx';

const NAME_HINTS: Record<DefinedKind, string> = {
  tool: 'Letters, digits, _ and -: models call it by this name, and agents list it.',
  integration: 'Small letters, digits, _ and -: tools lead to it by this name.',
  evaluator: 'As people know it.',
};

interface OwnProps<K extends DefinedKind> {
  /** Null for one that is not made yet. */
  id: string | null;
  draft: Draft<K>;
  change: (part: Partial<Draft<K>>) => void;
}

/** The fields that are a kind's own. */
const OWN_FIELDS: { [K in DefinedKind]: (props: OwnProps<K>) => ReactNode } = {
  tool: ToolFields,
  evaluator: EvaluatorFields,
  integration: IntegrationFields,
};

interface Props<K extends DefinedKind> {
  kind: K;
  id: string | null;
  drafting: Drafting<K>;
  errors: Readonly<Record<string, string>>;
  disabled: boolean;
  notes: ReactNode;
  after?: ReactNode;
  onSubmit: () => void;
}

/** All that can be said of a definition. */
export function DefinitionFields<K extends DefinedKind>({
  kind,
  id,
  drafting,
  errors,
  disabled,
  notes,
  after,
  onSubmit,
}: Props<K>) {
  const { draft, change, setValid } = drafting;
  const form = useRef<HTMLFormElement>(null);
  const Own: (props: OwnProps<K>) => ReactNode = OWN_FIELDS[kind];
  const named: { name: string; description: string } = draft as Draft<DefinedKind>;
  useEffect(() => {
    if (Object.keys(errors).length === 0) return;
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [errors]);
  const name = (part: { name?: string; description?: string }) => change(part as Partial<Draft<K>>);
  return (
    <DefinitionForm value={{ errors, disabled, setValid }}>
      <div className="mx-auto flex max-w-4xl flex-col px-6 pb-10 max-sm:px-4">
        <form
          ref={form}
          // The server has the last word, and says it at the field.
          noValidate
          className="flex min-w-0 flex-col"
          onSubmit={(event) => {
            event.preventDefault();
            onSubmit();
          }}
        >
          {notes}
          <fieldset disabled={disabled} className="flex min-w-0 flex-col gap-5 py-6">
            <legend className="sr-only">What it is</legend>
            <TextField
              label="Name"
              maxLength={100}
              spellCheck={false}
              autoCapitalize="off"
              className={kind === 'evaluator' ? '' : 'font-mono'}
              hint={NAME_HINTS[kind]}
              error={errors.name}
              value={named.name}
              onChange={({ target }) => name({ name: target.value })}
            />
            <TextArea
              label="What it is for"
              maxLength={2000}
              error={errors.description}
              value={named.description}
              onChange={({ target }) => name({ description: target.value })}
            />
            <Own id={id} draft={draft} change={change} />
          </fieldset>
          <button type="submit" hidden />
        </form>
        {after}
      </div>
    </DefinitionForm>
  );
}
